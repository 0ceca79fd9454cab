package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Block;
import dev.heddle.graph.Features;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A model cut into programs of some sections each comes to the bits of one program of all. */
class SectionTest {
  private static final int VERTICES = 150;
  private static final int WIDTH = 11;
  private static final int OUTPUTS = 5;

  private static final Recorder.Options KEEPING = Recorder.Options.DEFAULT;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, VERTICES);
  private final Csr arcs = graph.arcs();
  private final Rows rows = new Rows(VERTICES);
  private final Matrix outputGrad = graph.gaussian(VERTICES, OUTPUTS);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  @ParameterizedTest
  @EnumSource
  void denseFeatures(ModelKind kind) {
    assertEveryCutEqual(model(spec(kind).inputDropout(0.2f)), graph.dense(WIDTH));
  }

  @ParameterizedTest
  @EnumSource
  void sparseFeatures(ModelKind kind) {
    assertEveryCutEqual(model(spec(kind).inputDropout(0.2f)), graph.sparse(WIDTH));
  }

  /** Without input dropout, so that what depends on features alone is computed once. */
  @ParameterizedTest
  @EnumSource
  void foldedFeatures(ModelKind kind) {
    assertEveryCutEqual(model(spec(kind).norm(NormKind.LAYER)), graph.dense(WIDTH));
  }

  /** Features that another program has computed, and that get a gradient. */
  @ParameterizedTest
  @EnumSource
  void learntFeatures(ModelKind kind) {
    assertEveryCutEqual(model(spec(kind).inputDropout(0.2f)), null);
  }

  /** Without dropout GCNII's first layer aggregates the initial representation itself. */
  @ParameterizedTest
  @EnumSource
  void noDropout(ModelKind kind) {
    assertEveryCutEqual(model(spec(kind).dropout(0).attentionDropout(0)), null);
  }

  @Test
  void outlinesSayWhatSectionsAreMadeOf() {
    Model gcnii = model(spec(ModelKind.GCNII).layers(2).hidden(12));
    assertThat(gcnii.outlines().stream().map(Outline::names))
        .containsExactly(
            List.of("in.weight", "in.bias"),
            List.of("layer0.weight"),
            List.of("layer1.weight"),
            List.of("out.weight", "out.bias"));
    assertThat(gcnii.outlines().stream().map(Outline::hops)).containsExactly(0, 1, 1, 0);
    assertThat(gcnii.outlines().stream().map(Outline::in))
        .containsExactly(width(WIDTH, 0), width(12, 12), width(12, 12), width(12, 0));
    assertThat(gcnii.outlines().getLast().out()).isEqualTo(width(OUTPUTS, 0));
    assertThat(model(spec(ModelKind.APPNP).propagations(3)).outlines().stream().map(Outline::in))
        .containsExactly(
            width(WIDTH, 0),
            width(12, 0),
            width(OUTPUTS, 0),
            width(OUTPUTS, OUTPUTS),
            width(OUTPUTS, OUTPUTS));
  }

  private static Flow.Width width(int rows, int initial) {
    return new Flow.Width(rows, initial);
  }

  @ParameterizedTest
  @EnumSource
  void everyParameterIsOfOneSection(ModelKind kind) {
    Model model = model(spec(kind).norm(NormKind.LAYER));
    assertThat(model.outlines().stream().flatMap(o -> o.parameters().stream()))
        .containsExactlyInAnyOrderElementsOf(model.parameters().all());
    assertThat(model.outlines().stream().mapToInt(Outline::hops).sum()).isEqualTo(model.hops());
  }

  /** A stage that makes h⁰ of the features that it has, instead of receiving it. */
  @Test
  void theInitialRepresentationCanBeMadeOnceMore() {
    Model model = model(spec(ModelKind.GCNII).inputDropout(0.2f).layers(3));
    Features features = graph.dense(WIDTH);
    Result whole = run(model, features, List.of(0, model.sections()));
    Step step = new Step(7).train(3, 0);
    Recorder first = new Recorder(Recorder.Options.DEFAULT);
    Flow middle = model.record(first, 0, 2, hops(model, 1), Flow.of(first.input(rows, features)));
    // The rows alone: the next program makes the rest by itself.
    Program before = first.build(middle.rows()).allocate(memory, team);
    Recorder second = new Recorder(Recorder.Options.DEFAULT);
    Flow again = model.record(second, 0, 1, List.of(), Flow.of(second.input(rows, features)));
    Value boundary = second.boundary(rows, middle.rows().cols());
    Flow in = new Flow(boundary, again.start());
    Flow out = model.record(second, 2, model.sections(), hops(model, 2), in);
    Program after = second.build(out.rows()).allocate(memory, team);
    model.parameters().all().forEach(Parameter::zeroGrad);
    before.forward(step);
    copy(before.output(), boundary.data());
    after.forward(step);
    assertThat(after.output().toArray()).isDeepEqualTo(whole.output);
    copy(outputGrad, after.outputGrad());
    after.backward(step);
    copy(boundary.grad(), before.outputGrad());
    before.backward(step);
    for (int p = 0; p < whole.gradients.size(); p++) {
      float[][] expected = whole.gradients.get(p);
      Matrix actual = model.parameters().all().get(p).grad();
      for (int row = 0; row < expected.length; row++) {
        // The map in gets its gradient in two parts, which rounds otherwise.
        assertThat(actual.toArray()[row]).containsExactly(expected[row], within(expected));
      }
    }
  }

  private static Offset<Float> within(float[][] matrix) {
    float largest = 0;
    for (float[] row : matrix) {
      for (float value : row) {
        largest = Math.max(largest, Math.abs(value));
      }
    }
    return Offset.offset(1e-5f * largest);
  }

  private Model model(ModelSpec.Builder spec) {
    Model model =
        Model.create(spec.build(), new Model.Shape(WIDTH, OUTPUTS), memory, random.nextLong());
    for (Parameter p : model.parameters().all()) {
      // Away from zero, so that no bias is without effect.
      FiniteDifferences.move(p.value(), graph.gaussian(p.value().rows(), p.value().cols()), 0.2f);
    }
    return model;
  }

  private static ModelSpec.Builder spec(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(kind == ModelKind.APPNP || kind == ModelKind.SGC ? 2 : 3)
        .hidden(12)
        .heads(4)
        .outputHeads(3)
        .propagations(3)
        .epsilon(0.3f)
        .dropout(0.3f)
        .attentionDropout(0.3f);
  }

  /** What a model comes to: outputs, gradients of its parameters, and that of its input. */
  @SuppressWarnings("ArrayRecordComponent") // Compared element by element.
  private record Result(float[][] output, List<float[][]> gradients, float @Nullable [][] input) {}

  private void assertEveryCutEqual(Model model, @Nullable Features features) {
    int all = model.sections();
    Result whole = run(model, features, List.of(0, all));
    for (int cut = 1; cut < all; cut++) {
      assertEqual(run(model, features, List.of(0, cut, all)), whole);
    }
    assertEqual(run(model, features, IntStream.rangeClosed(0, all).boxed().toList()), whole);
  }

  private static void assertEqual(Result actual, Result expected) {
    assertThat(Arrays.stream(expected.output).allMatch(SectionTest::isComputed)).isTrue();
    assertThat(actual.output).isDeepEqualTo(expected.output);
    for (int i = 0; i < expected.gradients.size(); i++) {
      assertThat(actual.gradients.get(i)).isDeepEqualTo(expected.gradients.get(i));
    }
    if (expected.input != null) {
      assertThat(actual.input).isDeepEqualTo(expected.input);
    }
  }

  private static boolean isComputed(float[] row) {
    for (float value : row) {
      if (!Float.isFinite(value) || value == 0) {
        return false;
      }
    }
    return true;
  }

  /** A program of some sections, with the values at its two ends. */
  private record Piece(Program program, Flow in, Flow out) {}

  /**
   * Programs that share what none of them has to keep, all forward before any goes backward; what
   * one leaves there is spoilt before the next runs.
   */
  @ParameterizedTest
  @EnumSource
  void programsTakeTurnsInWhatPasses(ModelKind kind) {
    for (Recorder.Options options : List.of(KEEPING, KEEPING.recomputing())) {
      Model model = model(spec(kind).inputDropout(0.2f).norm(NormKind.LAYER));
      Features features = graph.dense(WIDTH);
      Program apart = wholeProgram(model, features, options).allocate(memory, team);
      Program one = wholeProgram(model, features, options);
      Program other = wholeProgram(model, features, options);
      MemorySegment passing = memory.allocate(one.passingBytes());
      for (Program program : List.of(one, other)) {
        MemorySegment lasting = memory.allocate(program.lastingBytes());
        Program _ = program.allocateOver(lasting, passing, memory, team);
      }
      assertThat(one.lastingBytes()).isLessThan(one.bytes());
      Step step = new Step(7);
      for (int epoch = 1; epoch <= 2; epoch++) {
        List<float[][]> expected = backAndForth(model, step.train(epoch, 0), apart);
        Step first = new Step(7).train(epoch, 0);
        Step second = new Step(8).train(epoch, 0);
        one.forward(first);
        passing.fill((byte) 0xff);
        other.forward(second);
        passing.fill((byte) 0xff);
        copy(outputGrad, other.outputGrad());
        other.backward(second);
        passing.fill((byte) 0xff);
        List<float[][]> actual = back(model, first, one);
        for (int i = 0; i < expected.size(); i++) {
          assertThat(actual.get(i)).isDeepEqualTo(expected.get(i));
        }
      }
    }
  }

  private Program wholeProgram(Model model, Features features, Recorder.Options options) {
    Recorder r = new Recorder(options);
    return r.build(model.record(r, hops(model, model.hops()), r.input(rows, features)));
  }

  private List<float[][]> backAndForth(Model model, Step step, Program program) {
    program.forward(step);
    return back(model, step, program);
  }

  /** The output and the gradients of parameters, once forward has run. */
  private List<float[][]> back(Model model, Step step, Program program) {
    List<float[][]> results = new ArrayList<>();
    results.add(program.output().toArray());
    model.parameters().all().forEach(Parameter::zeroGrad);
    copy(outputGrad, program.outputGrad());
    program.backward(step);
    model.parameters().all().forEach(p -> results.add(p.grad().toArray()));
    return results;
  }

  /** Runs a model as programs, each from one of the cuts to the next. */
  private Result run(Model model, @Nullable Features features, List<Integer> cuts) {
    List<Piece> pieces = new ArrayList<>();
    for (int i = 0; i + 1 < cuts.size(); i++) {
      pieces.add(piece(model, features, cuts.get(i), cuts.get(i + 1)));
    }
    // Twice: buffers are shared, so that a second run must not see what the first left behind.
    Result _ = step(model, features == null, pieces);
    return step(model, features == null, pieces);
  }

  private Result step(Model model, boolean learntInput, List<Piece> pieces) {
    Step step = new Step(7).train(3, 0);
    Flow input = pieces.getFirst().in;
    Piece last = pieces.getLast();
    model.parameters().all().forEach(Parameter::zeroGrad);
    if (learntInput) {
      fill(input.rows().data());
    }
    for (int i = 0; i < pieces.size(); i++) {
      if (i > 0) {
        pass(pieces.get(i - 1).out, pieces.get(i).in, Value::data);
      }
      pieces.get(i).program.forward(step);
    }
    float[][] output = last.program.output().toArray();
    copy(outputGrad, last.program.outputGrad());
    for (int i = pieces.size() - 1; i >= 0; i--) {
      pieces.get(i).program.backward(step);
      if (i > 0) {
        pass(pieces.get(i).in, pieces.get(i - 1).out, Value::grad);
      }
    }
    return new Result(
        output,
        model.parameters().all().stream().map(p -> p.grad().toArray()).toList(),
        learntInput ? input.rows().grad().toArray() : null);
  }

  private Piece piece(Model model, @Nullable Features features, int from, int to) {
    Recorder r = new Recorder(Recorder.Options.DEFAULT);
    Flow in =
        from == 0 && features != null
            ? Flow.of(r.input(rows, features))
            : model.boundary(r, from, rows);
    int hops = model.outlines().subList(from, to).stream().mapToInt(Outline::hops).sum();
    Flow out = model.record(r, from, to, hops(model, hops), in);
    return new Piece(r.build(out.values()).allocate(memory, team), in, out);
  }

  private List<Hop> hops(Model model, int count) {
    boolean loops = model.spec().kind().selfLoops();
    Block block = Block.of(memory, loops ? SelfLoops.added(memory, arcs) : arcs);
    return Collections.nCopies(count, Hop.within(block, rows));
  }

  private static void pass(Flow from, Flow to, Function<Value, Matrix> what) {
    for (int i = 0; i < from.values().size(); i++) {
      copy(what.apply(from.values().get(i)), what.apply(to.values().get(i)));
    }
  }

  private static void fill(Matrix m) {
    for (int row = 0; row < m.rows(); row++) {
      for (int col = 0; col < m.cols(); col++) {
        m.set(row, col, ((row * 31 + col * 17) % 23 - 11) * 0.1f);
      }
    }
  }

  private static void copy(Matrix from, Matrix to) {
    float[][] rows = from.toArray();
    for (int row = 0; row < VERTICES; row++) {
      to.setRow(row, rows[row]);
    }
  }
}
