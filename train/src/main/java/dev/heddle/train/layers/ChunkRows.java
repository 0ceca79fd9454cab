package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import org.jspecify.annotations.Nullable;

/**
 * Where the rows of one way's chunks lie in a matrix of them all: chunk after chunk, as each chunk
 * has them, and behind them the rows of other ways that its arcs come from.
 */
final class ChunkRows {
  private final GraphPart[] parts;
  private final int[] first;
  private final RowIds[] places;
  private final RowIds[] haloPlaces;
  private final RowIds[] ids;
  private final @Nullable Mirrors mirrors;

  private ChunkRows(GraphPart[] parts, int[] first, RowIds[] places, @Nullable Mirrors mirrors) {
    this.parts = parts;
    this.first = first;
    this.places = places;
    this.mirrors = mirrors;
    haloPlaces = new RowIds[parts.length];
    ids = new RowIds[parts.length];
    for (int c = 0; c < parts.length; c++) {
      RowIds known = parts[c].ids();
      // Rows of the part that is the graph are its vertices, and so are their places.
      ids[c] = known == null ? places[c] : known;
      long halo = (long) Integer.BYTES * parts[c].vertices();
      haloPlaces[c] = new RowIds(places[c].values().asSlice(halo));
    }
  }

  /**
   * The rows of a way; all ways of a stage make theirs at the same point.
   *
   * @param partition way w has the vertices of part w
   */
  static ChunkRows of(Graph graph, Partition partition, Chunks chunks, Group ways, Memory memory) {
    int count = chunks.perWay();
    int way = ways.rank();
    GraphPart[] parts = new GraphPart[count];
    int[] first = new int[count + 1];
    for (int c = 0; c < count; c++) {
      parts[c] =
          chunks.partition().parts() == 1
              ? GraphPart.whole(graph)
              : GraphPart.of(graph, chunks.partition(), way * count + c, memory);
      first[c + 1] = first[c] + parts[c].vertices();
    }
    Mirrors mirrors =
        ways.size() == 1 ? null : Mirrors.of(graph, partition, chunks, ways, first, parts, memory);
    RowIds[] places = new RowIds[count];
    for (int c = 0; c < count; c++) {
      GraphPart part = parts[c];
      int[] rows = new int[part.sources()];
      for (int row = 0; row < part.vertices(); row++) {
        rows[row] = first[c] + row;
      }
      for (int p = 0; p < part.parts(); p++) {
        for (int row = part.firstHaloRow(p); row < part.firstHaloRow(p + 1); row++) {
          int vertex = part.vertex(row);
          rows[row] =
              mirrors != null && p / count != way
                  ? first[count] + mirrors.of(p / count, vertex)
                  : first[p % count] + parts[p % count].rowOf(vertex);
        }
      }
      places[c] = RowIds.of(memory, rows);
    }
    return new ChunkRows(parts, first, places, mirrors);
  }

  int chunks() {
    return parts.length;
  }

  /** Whether there is one chunk, which has the whole graph. */
  boolean isWhole() {
    return parts.length == 1 && parts[0].parts() == 1;
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
    return own() + (mirrors == null ? 0 : mirrors.count());
  }

  /** Rows of other ways; none where there is one. */
  @Nullable Mirrors mirrors() {
    return mirrors;
  }

  /** What all rows of the matrix are called in the whole graph. */
  RowIds names(Memory memory) {
    int[] names = new int[all()];
    for (int c = 0; c < parts.length; c++) {
      for (int row = 0; row < parts[c].vertices(); row++) {
        names[first[c] + row] = parts[c].vertex(row);
      }
    }
    for (int row = own(); row < names.length && mirrors != null; row++) {
      names[row] = mirrors.vertex(row - own());
    }
    return RowIds.of(memory, names);
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
