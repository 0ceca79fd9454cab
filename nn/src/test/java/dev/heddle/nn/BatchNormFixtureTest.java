package dev.heddle.nn;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.BatchStatistics;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import org.junit.jupiter.api.Test;

/** What batch normalisation remembers of training, and evaluation by it, against torch. */
class BatchNormFixtureTest {
  @Test
  void evaluatesByRunningStatistics() {
    try (Fixture f = Fixture.open("batchnorm");
        ThreadTeam team = ThreadTeam.of(2)) {
      Matrix x = f.matrix("x");
      Rows rows = new Rows(x.rows());
      Parameter input = Parameter.allocate(f.memory(), "x", x.rows(), x.cols());
      Parameter gamma = Parameter.allocate(f.memory(), "gamma", 1, x.cols());
      Parameter beta = Parameter.allocate(f.memory(), "beta", 1, x.cols());
      f.matrixInto("x", input.value());
      f.matrixInto("gamma", gamma.value());
      f.matrixInto("beta", beta.value());
      BatchStatistics statistics = BatchStatistics.allocate(f.memory(), gamma, beta);
      f.matrixInto("running_mean", statistics.mean());
      f.matrixInto("running_var", statistics.variance());
      Recorder r = new Recorder(Recorder.Options.DEFAULT);
      Program program =
          r.build(r.batchNorm(r.embedding(rows, input), statistics)).allocate(f.memory(), team);
      Step step = new Step(1);
      program.forward(step.train(1, 0));
      f.assertMatches("out", program.output(), x.rows());
      f.assertMatches("running_mean_after", statistics.mean(), 1);
      f.assertMatches("running_var_after", statistics.variance(), 1);
      for (int run = 0; run < 2; run++) {
        program.forward(step.evaluate());
        f.assertMatches("out_eval", program.output(), x.rows());
        f.assertMatches("running_mean_after", statistics.mean(), 1);
        f.assertMatches("running_var_after", statistics.variance(), 1);
      }
    }
  }
}
