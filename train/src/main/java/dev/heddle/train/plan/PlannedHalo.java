package dev.heddle.train.plan;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Travelling;
import java.util.ArrayList;
import java.util.List;

/** Notes what would travel while a program is recorded that will never run. */
final class PlannedHalo implements Halo {
  private final List<Travelling> values = new ArrayList<>();

  @Override
  public Passage passage(Travelling value) {
    values.add(value);
    return NOWHERE;
  }

  /** In the order in which they were recorded. */
  List<Travelling> values() {
    return values;
  }

  @Override
  public int central() {
    return 0;
  }

  @Override
  public boolean overlaps() {
    return false;
  }

  private static final Passage NOWHERE =
      new Passage() {
        @Override
        public void start(ThreadTeam team, Matrix rows, Step step) {
          throw planned();
        }

        @Override
        public void finish(ThreadTeam team) {
          throw planned();
        }

        @Override
        public void startBack(ThreadTeam team, Matrix gradient, Step step) {
          throw planned();
        }

        @Override
        public void finishBack(ThreadTeam team) {
          throw planned();
        }

        private IllegalStateException planned() {
          return new IllegalStateException("a program that was only planned cannot run");
        }
      };
}
