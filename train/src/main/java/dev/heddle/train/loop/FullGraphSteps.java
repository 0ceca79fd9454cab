package dev.heddle.train.loop;

import dev.heddle.nn.program.Program;
import dev.heddle.train.halo.HaloRows;
import org.jspecify.annotations.Nullable;

/** Full-graph training: every epoch is one step over all vertices, those of this worker here. */
public final class FullGraphSteps implements StepSource, TrainStep {
  private final Program program;
  private final Loss loss;
  private final @Nullable HaloRows halo;

  /**
   * The one step of every epoch.
   *
   * @param program over this worker's rows, recorded with gradients
   */
  public FullGraphSteps(LocalGraph local, Program program) {
    this.program = program;
    halo = local.halo();
    loss =
        Loss.of(
            local.worker().memory(), local.labels(), local.split().train(), local.trainVertices());
  }

  @Override
  public int begin(int epoch) {
    if (halo != null) {
      halo.beginEpoch(epoch);
    }
    return 1;
  }

  @Override
  public TrainStep next() {
    return this;
  }

  @Override
  public void end() {
    if (halo != null) {
      halo.endEpoch();
    }
  }

  @Override
  public double weight() {
    return 1;
  }

  /** Rows of a worker without training vertices are needed by others. */
  @Override
  public boolean idle() {
    return false;
  }

  @Override
  public Program program() {
    return program;
  }

  @Override
  public Loss loss() {
    return loss;
  }

  @Override
  public void close() {}
}
