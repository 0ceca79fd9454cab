package dev.heddle.train.plan;

import dev.heddle.comm.Sent;
import dev.heddle.comm.SumCost;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.GradientClip;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import dev.heddle.train.loop.GradientSync;
import dev.heddle.train.run.BestParameters;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;

/**
 * What a model's parameters take, with all that is made for them, and what summing their gradients
 * sends: the same at every worker, each of which has all of them.
 *
 * @param memory of parameters, gradients, what the optimizer remembers and the best so far
 * @param sumMemory for sums over workers
 * @param sent by one worker in a step
 */
record ParameterPlan(long memory, long sumMemory, Sent.Amount sent) {
  /**
   * The plan of a model at one of several workers.
   *
   * @param scratch where what will be made for parameters is made and given back, which is how it
   *     is known what it takes
   */
  static ParameterPlan of(
      Model model, TrainSettings settings, int workers, int rank, Memory scratch) {
    var all = model.parameters().all();
    long bytes = model.parameters().state().values().stream().mapToLong(ParameterPlan::of).sum();
    bytes += all.stream().map(Parameter::grad).mapToLong(ParameterPlan::of).sum();
    try (Memory made = scratch.child()) {
      var _ = settings.optimizer().create(made, all, settings);
      var _ = new BestParameters(made, model.parameters().state());
      if (settings.clipNorm() != 0) {
        var _ = GradientClip.byNorm(made, all, settings.clipNorm());
      }
      bytes += made.bytes();
    }
    if (settings.knobs().sync() instanceof Sync.Racom racom) {
      long message = GradientSync.messageBytes(all, racom);
      return new ParameterPlan(
          bytes,
          GradientSync.memoryBytes(all, racom, workers),
          new Sent.Amount(message, 1).times(workers - 1));
    }
    long count = model.parameters().count();
    boolean half = settings.knobs().sync().halfSums();
    SumCost sum =
        half ? SumCost.ofHalves(count, workers, rank) : SumCost.ofFloats(count, workers, rank);
    long flat = workers == 1 ? 0 : Memory.padded(count * (half ? Short.BYTES : Float.BYTES));
    return new ParameterPlan(bytes, flat + sum.memory(), sum.sent());
  }

  private static long of(Matrix matrix) {
    return Memory.padded(Matrix.bytes(matrix.rows(), matrix.cols()));
  }
}
