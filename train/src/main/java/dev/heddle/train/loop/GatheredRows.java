package dev.heddle.train.loop;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;

/** The rows of all workers at each of them, by vertex of the whole graph; all call it. */
public final class GatheredRows {
  private GatheredRows() {}

  /** Gathers what each worker has of its own vertices; a row travels with its vertex before it. */
  public static float[][] of(Worker worker, GraphPart part, Matrix rows) {
    Group group = worker.group();
    if (worker.isAlone()) {
      return rows.toArray();
    }
    long width = Integer.BYTES + (long) rows.cols() * Float.BYTES;
    long[] ends = new long[group.size() + 1];
    ends[group.rank() + 1] = part.vertices() * width;
    group.sum(ends);
    for (int w = 0; w < group.size(); w++) {
      ends[w + 1] += ends[w];
    }
    long bytes = ends[group.size()];
    try (Memory scratch = worker.memory().child()) {
      MemorySegment all = scratch.allocate(bytes).asSlice(0, bytes);
      long at = ends[group.rank()];
      for (int row = 0; row < part.vertices(); row++, at += width) {
        all.set(JAVA_INT, at, part.vertex(row));
        long first = rows.offset(row);
        MemorySegment.copy(rows.data(), first, all, at + Integer.BYTES, width - Integer.BYTES);
      }
      group.allGather(Kind.EVALUATION, all, ends);
      float[][] byVertex = new float[Math.toIntExact(bytes / width)][rows.cols()];
      for (long from = 0; from < bytes; from += width) {
        float[] values = byVertex[all.get(JAVA_INT, from)];
        MemorySegment.copy(all, JAVA_FLOAT, from + Integer.BYTES, values, 0, values.length);
      }
      return byVertex;
    }
  }
}
