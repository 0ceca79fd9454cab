package dev.heddle.train.layers;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;

/**
 * Where the rows of one way's chunks lie in a matrix of them all: chunk after chunk, as each chunk
 * has them, and behind them the rows of other ways that its arcs come from.
 */
final class ChunkRows {
  private final int way;
  private final GraphPart[] parts;
  private final int[] first;
  private final RowIds[] places;
  private final RowIds[] haloPlaces;
  private final RowIds[] ids;

  private ChunkRows(int way, GraphPart[] parts, int[] first, RowIds[] places) {
    this.way = way;
    this.parts = parts;
    this.first = first;
    this.places = places;
    haloPlaces = new RowIds[parts.length];
    ids = new RowIds[parts.length];
    for (int c = 0; c < parts.length; c++) {
      long halo = (long) Integer.BYTES * parts[c].vertices();
      RowIds known = parts[c].ids();
      // Rows of the part that is the graph are its vertices, and so are their places.
      ids[c] = known == null ? places[c] : known;
      haloPlaces[c] = new RowIds(places[c].values().asSlice(halo));
    }
  }

  /** The rows of a way that is the only one. */
  static ChunkRows of(Graph graph, Chunks chunks, int way, Memory memory) {
    int count = chunks.perWay();
    GraphPart[] parts = new GraphPart[count];
    int[] first = new int[count + 1];
    for (int c = 0; c < count; c++) {
      parts[c] =
          chunks.partition().parts() == 1
              ? GraphPart.whole(graph)
              : GraphPart.of(graph, chunks.partition(), way * count + c, memory);
      first[c + 1] = first[c] + parts[c].vertices();
    }
    RowIds[] places = new RowIds[count];
    for (int c = 0; c < count; c++) {
      GraphPart part = parts[c];
      int[] rows = new int[part.sources()];
      int own = part.vertices();
      for (int row = 0; row < own; row++) {
        rows[row] = first[c] + row;
      }
      for (int d = 0; d < count; d++) {
        int end = part.firstHaloRow(way * count + d + 1);
        for (int row = part.firstHaloRow(way * count + d); row < end; row++) {
          rows[row] = first[d] + parts[d].rowOf(part.vertex(row));
        }
      }
      places[c] = RowIds.of(memory, rows);
    }
    return new ChunkRows(way, parts, first, places);
  }

  int chunks() {
    return parts.length;
  }

  /** Whether there is one chunk, which has the whole graph. */
  boolean isWhole() {
    return parts.length == 1 && parts[0].parts() == 1;
  }

  /** Which of all workers' chunks a chunk of this way is. */
  int way() {
    return way;
  }

  /** A chunk's vertices with their arcs; its halo is by way and chunk. */
  GraphPart part(int chunk) {
    return parts[chunk];
  }

  /** The first row of a chunk, all of whose rows follow; the next chunk's first is their end. */
  int first(int chunk) {
    return first[chunk];
  }

  /** Rows of all chunks. */
  int own() {
    return first[first.length - 1];
  }

  /** Rows of the matrix. */
  int all() {
    return own();
  }

  /** What a chunk's own rows are called in the whole graph. */
  RowIds ids(int chunk) {
    return ids[chunk];
  }

  /** Where each row lies that a chunk's arcs come from, own or halo. */
  RowIds places(int chunk) {
    return places[chunk];
  }

  /** Where each row of a chunk's halo lies. */
  RowIds haloPlaces(int chunk) {
    return haloPlaces[chunk];
  }
}
