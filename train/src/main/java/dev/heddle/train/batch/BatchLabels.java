package dev.heddle.train.batch;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.ThreadTeam;

/** The labels of a batch's seeds, by row. */
final class BatchLabels {
  private final Labels whole;
  private final Labels ofSeeds;
  private final int most;
  private final ThreadTeam team;
  private final RowGather gather = new RowGather();

  /** Labels of at most so many seeds. */
  BatchLabels(Labels whole, int most, ThreadTeam team, Memory memory) {
    this.whole = whole;
    this.most = most;
    this.team = team;
    ofSeeds =
        switch (whole) {
          case ClassLabels classes ->
              new ClassLabels(memory.allocateInts(most), most, classes.classes());
          case MultiLabels multi -> new MultiLabels(rows(memory, most, multi.values()));
          case RealLabels real -> new RealLabels(rows(memory, most, real.values()));
        };
  }

  private static Matrix rows(Memory memory, int count, Matrix like) {
    return Matrix.allocate(memory, count, like.cols());
  }

  void fetch(SampledBatch batch) {
    switch (whole) {
      case ClassLabels classes -> {
        var target = ((ClassLabels) ofSeeds).values();
        for (int row = 0; row < batch.seeds(); row++) {
          target.setAtIndex(JAVA_INT, row, classes.at(batch.ids().at(row)));
        }
      }
      case MultiLabels multi -> copy(batch, multi.values(), ((MultiLabels) ofSeeds).values());
      case RealLabels real -> copy(batch, real.values(), ((RealLabels) ofSeeds).values());
    }
  }

  private void copy(SampledBatch batch, Matrix from, Matrix to) {
    gather.run(team, from, batch.ids(), batch.seeds(), to);
  }

  /** The most seeds that there is room for. */
  int most() {
    return most;
  }

  Labels ofSeeds() {
    return ofSeeds;
  }
}
