package dev.heddle.train.plan;

import dev.heddle.comm.Codec;
import dev.heddle.comm.RowExchange;
import dev.heddle.comm.Sent;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.PartCounts;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.train.layers.LayerDivision;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How many rows and arcs the chunks of a way have, and how many rows of each chunk the ways of a
 * stage send each other: the numbers of what {@link dev.heddle.train.layers.LayerPipeline} will
 * have.
 *
 * @param chunks of this way
 * @param sent per chunk and way, rows that the other mirrors
 * @param received per chunk and way, rows of the other that are mirrored here
 */
@SuppressWarnings("ArrayRecordComponent") // Numbers per chunk and way, read.
record ChunkLayout(List<PartCounts> chunks, int[][] sent, int[][] received) {
  private static final int[] NONE = {};

  /**
   * Counts, in a pass over all arcs where there are several ways.
   *
   * @param scratch of which nothing is taken that lasts
   */
  static ChunkLayout of(Graph graph, LayerDivision division, Memory scratch) {
    Partition cut = division.chunkPartition();
    int ways = division.ways().parts();
    int way = division.place().way();
    int each = cut.parts() / ways;
    List<PartCounts> chunks =
        IntStream.range(0, each)
            .mapToObj(c -> PartCounts.of(graph, cut, way * each + c, /* summed= */ false, scratch))
            .toList();
    int[][] sent = new int[each][ways];
    int[][] received = new int[each][ways];
    for (int reader = 0; reader < ways && ways > 1; reader++) {
      int[] mirrored = mirrored(graph.in(), division.ways(), cut, reader);
      for (int part = 0; part < cut.parts(); part++) {
        int owner = part / each;
        if (owner == way && reader != way) {
          sent[part % each][reader] = mirrored[part];
        } else if (owner != way && reader == way) {
          received[part % each][owner] = mirrored[part];
        }
      }
    }
    return new ChunkLayout(chunks, sent, received);
  }

  /** Per chunk of all ways, vertices of others that arcs into a way come from. */
  private static int[] mirrored(Csr in, Partition ways, Partition cut, int reader) {
    int[] mirrored = new int[cut.parts()];
    boolean[] seen = new boolean[in.rows()];
    for (int vertex : ways.members(reader)) {
      for (long arc = in.offset(vertex), end = in.offset(vertex + 1); arc < end; arc++) {
        int source = in.id(arc);
        if (!seen[source] && ways.partOf(source) != reader) {
          seen[source] = true;
          mirrored[cut.partOf(source)]++;
        }
      }
    }
    return mirrored;
  }

  /** What a chunk's program is over; nobody exchanges rows by it. */
  PartLayout layout(int chunk) {
    PartCounts counts = chunks.get(chunk);
    return new PartLayout(counts, new int[counts.halo().length], counts.asked(), 0, 0);
  }

  boolean severalWays() {
    return sent[0].length > 1;
  }

  /** Own rows. */
  int own() {
    return chunks.stream().mapToInt(PartCounts::vertices).sum();
  }

  /** Own rows and mirrors. */
  int all() {
    return own() + Arrays.stream(received).flatMapToInt(IntStream::of).sum();
  }

  /** Rows of chunks' halos, one by one. */
  int haloRows() {
    return chunks.stream().mapToInt(PartCounts::haloRows).sum();
  }

  /** What this way sends of rows in all chunks, there or back. */
  Sent.Amount mirrored(boolean back, long rowBytes) {
    Sent.Amount sum = Sent.Amount.NONE;
    for (int[] rows : back ? received : sent) {
      sum = sum.plus(RowExchange.sent(rows, rowBytes));
    }
    return sum;
  }

  /**
   * Bytes of memory for exchanging mirrors. They do not follow each other, so that every row goes
   * through a buffer.
   *
   * @param there columns of rounds forward
   * @param back columns of rounds back
   */
  long mirrorBytes(Codec codec, int[] there, int[] back) {
    long bytes = 0;
    for (int chunk = 0; chunk < sent.length && severalWays(); chunk++) {
      int[] nobody = new int[sent[chunk].length];
      bytes += RowExchange.bytes(codec, sent[chunk], nobody, there, back);
      bytes += RowExchange.bytes(codec, received[chunk], nobody, back, there);
    }
    return bytes;
  }

  /**
   * Bytes of memory of one side of a boundary for one value.
   *
   * @param sends whether rows go from here; else they come
   */
  long boundaryBytes(Codec codec, boolean sends, int cols, boolean comesBack) {
    int[] there = {cols};
    int[] back = comesBack ? there : NONE;
    long bytes = 0;
    for (PartCounts chunk : chunks) {
      int[] rows = {chunk.vertices()};
      int[] none = {0};
      bytes += RowExchange.bytes(codec, sends ? rows : none, sends ? none : rows, there, back);
    }
    return bytes;
  }

  /** What one side of a boundary sends of one value, all chunks together. */
  Sent.Amount crossing(long rowBytes) {
    return chunks.stream()
        .map(chunk -> RowExchange.sent(new int[] {chunk.vertices()}, rowBytes))
        .reduce(Sent.Amount.NONE, Sent.Amount::plus);
  }
}
