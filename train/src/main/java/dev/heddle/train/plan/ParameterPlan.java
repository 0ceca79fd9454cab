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
import java.util.List;

/**
 * What a model's parameters take at a worker, with all that is made for them, and what summing
 * their gradients sends. Every worker has room for all parameters and gradients; the optimizer
 * moves those that are its own.
 *
 * @param memory of parameters, gradients, what the optimizer remembers and the best so far
 * @param sumMemory for sums over workers
 * @param sent by one worker in a step
 */
record ParameterPlan(long memory, long sumMemory, Sent.Amount sent) {
  /**
   * Parameters whose gradients a worker sums with others.
   *
   * @param sharers how many there are
   * @param rank of this worker among them
   */
  record Share(List<Parameter> parameters, int sharers, int rank) {}

  /** The plan of a worker that has all parameters, as each of the others. */
  static ParameterPlan of(
      Model model, TrainSettings settings, int workers, int rank, Memory scratch) {
    var all = new Share(model.parameters().all(), workers, rank);
    return of(model, settings, List.of(all), scratch);
  }

  /**
   * The plan of a worker that has some parameters.
   *
   * @param scratch where what will be made for parameters is made and given back, which is how it
   *     is known what it takes
   */
  static ParameterPlan of(Model model, TrainSettings settings, List<Share> shares, Memory scratch) {
    long bytes = model.parameters().state().values().stream().mapToLong(ParameterPlan::of).sum();
    bytes +=
        model.parameters().all().stream().map(Parameter::grad).mapToLong(ParameterPlan::of).sum();
    List<Parameter> here = shares.stream().flatMap(s -> s.parameters.stream()).toList();
    try (Memory made = scratch.child()) {
      var _ = settings.optimizer().create(made, here, settings);
      var _ = new BestParameters(made, model.parameters().state());
      if (settings.clipNorm() != 0) {
        var _ = GradientClip.byNorm(made, here, settings.clipNorm());
      }
      bytes += made.bytes();
    }
    if (settings.knobs().sync() instanceof Sync.Racom racom) {
      // Models that are some steps apart are whole at every worker.
      int workers = shares.getFirst().sharers;
      long message = GradientSync.messageBytes(here, racom);
      return new ParameterPlan(
          bytes,
          GradientSync.memoryBytes(here, racom, workers),
          new Sent.Amount(message, 1).times(workers - 1));
    }
    boolean half = settings.knobs().sync().halfSums();
    long sums = 0;
    Sent.Amount sent = Sent.Amount.NONE;
    for (Share share : shares) {
      long count = share.parameters.stream().mapToLong(Parameter::count).sum();
      if (count > 0) {
        SumCost sum =
            half
                ? SumCost.ofHalves(count, share.sharers, share.rank)
                : SumCost.ofFloats(count, share.sharers, share.rank);
        long flat =
            share.sharers == 1 ? 0 : Memory.padded(count * (half ? Short.BYTES : Float.BYTES));
        sums += flat + sum.memory();
        sent = sent.plus(sum.sent());
      }
    }
    return new ParameterPlan(bytes, sums, sent);
  }

  private static long of(Matrix matrix) {
    return Memory.padded(Matrix.bytes(matrix.rows(), matrix.cols()));
  }
}
