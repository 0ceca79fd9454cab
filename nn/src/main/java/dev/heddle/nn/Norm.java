package dev.heddle.nn;

import dev.heddle.nn.program.BatchStatistics;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/** Normalisation between layers: none, of each row, or of each column. */
sealed interface Norm {
  Value record(Recorder r, Value x);

  static Norm of(NormKind kind, Parameters parameters, int cols) {
    return switch (kind) {
      case NONE -> new None();
      case LAYER -> new OfRows(parameters.ones("gamma", cols), parameters.zeros("beta", cols));
      case BATCH -> {
        BatchStatistics statistics =
            BatchStatistics.allocate(
                parameters.memory(),
                parameters.ones("gamma", cols),
                parameters.zeros("beta", cols));
        parameters.statistic("mean", statistics.mean());
        parameters.statistic("variance", statistics.variance());
        yield new OfColumns(statistics);
      }
    };
  }

  /** No normalisation. */
  record None() implements Norm {
    @Override
    public Value record(Recorder r, Value x) {
      return x;
    }
  }

  /** Layer normalisation (Ba, Kiros & Hinton, 2016). */
  record OfRows(Parameter gamma, Parameter beta) implements Norm {
    @Override
    public Value record(Recorder r, Value x) {
      return r.layerNorm(x, gamma, beta);
    }
  }

  /** Batch normalisation (Ioffe & Szegedy, 2015). */
  record OfColumns(BatchStatistics statistics) implements Norm {
    @Override
    public Value record(Recorder r, Value x) {
      return r.batchNorm(x, statistics);
    }
  }
}
