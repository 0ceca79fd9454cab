package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.kernel.Losses;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowLoss;
import dev.heddle.kernel.ThreadTeam;
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
import org.junit.jupiter.params.provider.EnumSource;

/** Models as they are trained, against torch: output, loss, gradients, and three steps. */
class ModelFixtureTest {
  @ParameterizedTest
  @CsvSource({"GCN, true", "GCN, false", "SAGE, true", "SAGE, false"})
  void trainsAsTorchDoes(ModelKind kind, boolean foldConstants) {
    try (Fixture f = open(kind);
        ThreadTeam team = ThreadTeam.of(2)) {
      Model model = model(f, kind);
      List<Parameter> parameters = model.parameters().all();
      Recorder r = new Recorder(new Recorder.Options(foldConstants, false));
      Program program = program(f, model, r, input(f, r)).allocate(f.memory(), team);
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
          f.assertMatches("out", program.output(), f.matrix("x").rows());
        }
        float scale = 1f / f.ints("rows").length;
        double value = loss.run(team, program.output(), scale, program.outputGrad());
        float expected = losses.rows() == 1 ? losses.get(0, i) : losses.get(i, 0);
        assertThat(value).as("loss %d", i).isCloseTo(expected, within(1e-5));
        program.backward(step);
        if (i == 0) {
          assertGradients(f, parameters);
        }
        adam.step(team, 0.01f);
      }
    }
  }

  /** GCN and GraphSAGE have files with a loss, above. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"GCN", "SAGE"})
  void computesWhatTorchDoes(ModelKind kind) {
    try (Fixture f = open(kind);
        ThreadTeam team = ThreadTeam.of(2)) {
      Model model = model(f, kind);
      Recorder constant = new Recorder(Recorder.Options.DEFAULT);
      Program program = program(f, model, constant, input(f, constant));
      assertMatches(f, program.allocate(f.memory(), team), model.parameters().all());
    }
  }

  /** As above, but features are learnt: nothing of them is computed beforehand. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"GCN", "SAGE"})
  void computesWhatTorchDoesForLearntRows(ModelKind kind) {
    try (Fixture f = open(kind);
        ThreadTeam team = ThreadTeam.of(2)) {
      Model model = model(f, kind);
      Matrix rows = f.matrix("x");
      Parameter x = Parameter.allocate(f.memory(), "x", rows.rows(), rows.cols());
      f.matrixInto("x", x.value());
      Recorder r = new Recorder(Recorder.Options.DEFAULT);
      Program program = program(f, model, r, r.embedding(new Rows(rows.rows()), x));
      assertThat(program.parameters()).contains(x).containsAll(model.parameters().all());
      assertMatches(f, program.allocate(f.memory(), team), program.parameters());
    }
  }

  private static Fixture open(ModelKind kind) {
    return Fixture.open("model_" + kind.label().replace('-', '_'));
  }

  /** The model that a file is of, with its parameters. */
  private static Model model(Fixture f, ModelKind kind) {
    int layers = kind == ModelKind.GCNII || kind == ModelKind.SGC ? 3 : 2;
    ModelSpec.Builder spec = ModelSpec.of(kind).layers(layers).hidden(8).dropout(0);
    spec.heads(4).outputHeads(2).epsilon(0.3f).propagations(5);
    Model model =
        Model.create(spec.build(), new Model.Shape(f.matrix("x").cols(), 3), f.memory(), 1);
    model.parameters().all().forEach(p -> f.matrixInto(p.name(), p.value()));
    return model;
  }

  private static Value input(Fixture f, Recorder r) {
    Matrix x = f.matrix("x");
    return r.input(new Rows(x.rows()), new DenseFeatures(x));
  }

  private static Program program(Fixture f, Model model, Recorder r, Value x) {
    Hop hop = Hop.within(f.block(model.spec().kind().selfLoops()), x.rows());
    return r.build(model.record(r, Collections.nCopies(model.hops(), hop), x));
  }

  private static void assertMatches(Fixture f, Program program, List<Parameter> parameters) {
    Step step = new Step(1).train(1, 0);
    // Twice: buffers are shared, so a second run must not see what the first left behind.
    for (int run = 0; run < 2; run++) {
      parameters.forEach(Parameter::zeroGrad);
      program.forward(step);
      f.assertMatches("out", program.output(), f.matrix("x").rows());
      Matrix grad = f.matrix("grad_out");
      for (int row = 0; row < grad.rows(); row++) {
        program.outputGrad().setRow(row, grad.toArray()[row]);
      }
      program.backward(step);
      assertGradients(f, parameters);
    }
  }

  private static void assertGradients(Fixture f, List<Parameter> parameters) {
    parameters.forEach(p -> f.assertMatches("grad_" + p.name(), p.grad(), p.grad().rows()));
  }
}
