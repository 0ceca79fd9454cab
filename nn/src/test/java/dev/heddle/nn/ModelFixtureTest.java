package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.kernel.Losses;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowLoss;
import dev.heddle.kernel.Workers;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two-layer models against torch: output, loss, gradients, and three steps of training. */
class ModelFixtureTest {
  @ParameterizedTest
  @CsvSource({"GCN, true", "GCN, false", "SAGE, true", "SAGE, false"})
  void trainsAsTorchDoes(ModelKind kind, boolean foldConstants) {
    try (Fixture f = Fixture.open("model_" + kind.label());
        Workers workers = Workers.of(2)) {
      Matrix x = f.matrix("x");
      ModelSpec spec = ModelSpec.of(kind).hidden(8).dropout(0).build();
      Model model = Model.create(spec, new Model.Shape(x.cols(), 3), f.memory(), 1);
      List<Parameter> parameters = model.parameters().all();
      parameters.forEach(p -> f.matrixInto(tensor(p), p.value()));
      Program program = program(f, model, foldConstants).allocate(f.memory(), workers);
      RowLoss loss =
          Losses.softmaxCrossEntropy(
              f.memory(),
              f.ints("rows"),
              ClassLabels.of(f.memory(), f.ints("targets"), 3).values(),
              3);
      Adam adam = Adam.over(f.memory(), parameters, AdamSettings.DEFAULT);
      Matrix losses = f.matrix("losses");
      Step step = new Step(1);
      for (int i = 0; i < 4; i++) {
        parameters.forEach(Parameter::zeroGrad);
        program.forward(step.train(i + 1, 0));
        if (i == 0) {
          f.assertMatches("out", program.output(), x.rows());
        }
        float scale = 1f / f.ints("rows").length;
        double value = loss.run(workers, program.output(), scale, program.outputGrad());
        float expected = losses.rows() == 1 ? losses.get(0, i) : losses.get(i, 0);
        assertThat(value).as("loss %d", i).isCloseTo(expected, within(1e-5));
        program.backward(step);
        if (i == 0) {
          parameters.forEach(p -> f.assertMatches("grad_" + tensor(p), p.grad(), p.grad().rows()));
        }
        adam.step(workers, 0.01f);
      }
    }
  }

  private static Program program(Fixture f, Model model, boolean foldConstants) {
    Rows rows = new Rows(f.matrix("x").rows());
    Recorder r = new Recorder(new Recorder.Options(foldConstants, false));
    Value x = r.input(rows, new DenseFeatures(f.matrix("x")));
    Hop hop = Hop.within(f.block(model.spec().kind().selfLoops()), rows);
    return r.build(model.record(r, Collections.nCopies(model.hops(), hop), x));
  }

  /** The fixture's name of a parameter: {@code layer0.weight} is {@code w1} there. */
  private static String tensor(Parameter p) {
    int layer = p.name().charAt("layer".length()) - '0' + 1;
    return switch (p.name().substring("layer0.".length())) {
          case "weight" -> "w";
          case "self" -> "w_self";
          case "neighbours" -> "w_nbr";
          case "bias" -> "bias";
          default -> throw new AssertionError(p);
        }
        + layer;
  }
}
