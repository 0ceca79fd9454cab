package dev.heddle.nn.program;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Activation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Heads;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.FiniteDifferences;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.Parameters;
import dev.heddle.nn.RandomGraph;
import dev.heddle.nn.TestSeed;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The gradient of every operation against finite differences, by the rows that it reads and by all
 * it learns. Those that follow arcs follow weighted ones to fewer destinations than sources, as in
 * a sample, but for those that are only recorded where both are the same.
 */
class OperationGradientTest {
  private static final int VERTICES = 24;
  private static final int FEWER = 15;
  private static final int WIDTH = 12;

  enum Operation {
    SUM,
    MEAN,
    SYMMETRIC,
    AGGREGATE_ONTO,
    CONVOLVE_TO_FEWER,
    CONVOLVE_TO_FEWER_WITH_SELF,
    AGGREGATE_THEN_MAP,
    AGGREGATE_THEN_MAP_WITH_SELF,
    MAP_THEN_AGGREGATE,
    MAP_THEN_AGGREGATE_WITH_SELF,
    LINEAR,
    LINEAR_OF_FEWER,
    LINEAR_ONTO,
    SPARSE_LINEAR,
    SPARSE_LINEAR_ONTO,
    SPARSE_DROPOUT,
    COMBINATION,
    MEAN_OF_HEADS,
    DROPOUT,
    BIAS,
    // What follows has curves and kinks.
    MAX(5e-4f, 2.5e-2),
    RELU(5e-4f, 2.5e-2),
    ELU(5e-4f, 2.5e-2),
    LAYER_NORM(5e-4f, 2.5e-2),
    BATCH_NORM(5e-4f, 2.5e-2),
    GAT(5e-4f, 2.5e-2),
    GATV2(5e-4f, 2.5e-2);

    private final float h;
    private final double tolerance;

    /** Linear in each of its parameters: differences are exact, however long the way. */
    Operation() {
      this(0.5f, 1e-4);
    }

    Operation(float h, double tolerance) {
      this.h = h;
      this.tolerance = tolerance;
    }
  }

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, VERTICES);
  private final Rows rows = new Rows(VERTICES);
  private final Rows fewer = new Rows(FEWER);
  private final Csr arcs = weighted(graph.arcs());
  private final Parameters parameters = new Parameters(memory, random.nextLong());

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  @ParameterizedTest
  @EnumSource
  void isThatOfDifferences(Operation operation) {
    Parameter learnt = Parameter.allocate(memory, "rows", VERTICES, WIDTH);
    Recorder r = new Recorder(Recorder.Options.DEFAULT);
    Value out = record(operation, r, r.embedding(rows, learnt));
    Program program = r.build(out).allocate(memory, team);
    assertThat(program.parameters()).contains(learnt).containsAll(parameters.all());
    for (Parameter p : program.parameters()) {
      Matrix drawn = graph.gaussian(p.value().rows(), p.value().cols());
      for (int row = 0; row < drawn.rows(); row++) {
        p.value().setRow(row, drawn.toArray()[row]);
      }
    }
    Matrix weights = graph.gaussian(out.rows().count(), out.cols());
    var step = new Step(7).train(3, 0);
    var differences = new FiniteDifferences(graph, step, operation.h, operation.tolerance);
    program.parameters().forEach(p -> differences.check(program, weights, p));
  }

  private Value record(Operation operation, Recorder r, Value x) {
    return switch (operation) {
      case SUM -> r.aggregate(toFewer(arcs), Normalisation.SUM, x);
      case MEAN -> r.aggregate(toFewer(arcs), Normalisation.MEAN, x);
      case SYMMETRIC -> r.aggregate(toFewer(arcs), Normalisation.SYMMETRIC, x);
      case AGGREGATE_ONTO -> {
        Value onto = r.linear(x, fewer, weight("onto", WIDTH));
        yield r.aggregateOnto(toFewer(arcs), Normalisation.MEAN, x, onto);
      }
      case CONVOLVE_TO_FEWER -> convolution(r, toFewer(arcs), x, maps(5, false));
      case CONVOLVE_TO_FEWER_WITH_SELF -> convolution(r, toFewer(arcs), x, maps(5, true));
      case AGGREGATE_THEN_MAP -> convolution(r, toAll(), x, maps(17, false));
      case AGGREGATE_THEN_MAP_WITH_SELF -> convolution(r, toAll(), x, maps(17, true));
      case MAP_THEN_AGGREGATE -> convolution(r, toAll(), x, maps(5, false));
      case MAP_THEN_AGGREGATE_WITH_SELF -> convolution(r, toAll(), x, maps(5, true));
      case LINEAR -> r.linear(x, weight("w", 5));
      case LINEAR_OF_FEWER -> r.linear(x, fewer, weight("w", 5));
      case LINEAR_ONTO -> r.linearOnto(x, weight("w", 5), r.linear(x, fewer, weight("onto", 5)));
      case SPARSE_LINEAR -> {
        Value product = r.linear(r.input(rows, graph.sparse(19)), parameters.weight("w", 19, 5));
        yield r.combine(1, product, 1, r.linear(x, weight("dense", 5)));
      }
      case SPARSE_LINEAR_ONTO -> {
        Value onto = r.linear(x, weight("onto", 5));
        yield r.linearOnto(r.input(rows, graph.sparse(19)), parameters.weight("w", 19, 5), onto);
      }
      case SPARSE_DROPOUT -> {
        Value dropped = r.dropout(r.input(rows, graph.sparse(19)), 0.3f);
        Value onto = r.linear(x, weight("onto", 5));
        yield r.linearOnto(dropped, parameters.weight("w", 19, 5), onto);
      }
      case COMBINATION -> r.combine(0.7f, r.linear(x, fewer, weight("w", WIDTH)), -1.3f, x);
      case MEAN_OF_HEADS -> r.meanOfHeads(x, new Heads(3, WIDTH / 3));
      case DROPOUT -> r.dropout(x, 0.3f);
      case BIAS -> r.epilogue(x, parameters.zeros("b", WIDTH), Activation.NONE, 0);
      case MAX -> r.max(toFewer(arcs), x);
      case RELU -> r.epilogue(x, parameters.zeros("b", WIDTH), Activation.RELU, 0.3f);
      case ELU -> r.epilogue(x, parameters.zeros("b", WIDTH), Activation.ELU, 0.3f);
      case LAYER_NORM ->
          r.layerNorm(x, parameters.ones("gamma", WIDTH), parameters.zeros("beta", WIDTH));
      case BATCH_NORM -> {
        Parameter gamma = parameters.ones("gamma", WIDTH);
        Parameter beta = parameters.zeros("beta", WIDTH);
        yield r.batchNorm(x, BatchStatistics.allocate(memory, gamma, beta));
      }
      case GAT -> {
        Parameter source = parameters.weight("source", 1, WIDTH);
        Parameter destination = parameters.weight("destination", 1, WIDTH);
        var scores = new GatScores(source, destination, new Heads(3, WIDTH / 3), 0.3f);
        yield r.attention(toFewer(SelfLoops.added(memory, arcs)), x, scores);
      }
      case GATV2 -> {
        Parameter vector = parameters.weight("vector", 1, WIDTH);
        Value right = r.linear(x, fewer, weight("right", WIDTH));
        var scores = new Gatv2Scores(vector, new Heads(3, WIDTH / 3), 0.3f);
        yield r.attention(toFewer(SelfLoops.added(memory, arcs)), x, right, scores);
      }
    };
  }

  private static Value convolution(Recorder r, Hop hop, Value x, Recorder.Maps maps) {
    return r.convolve(hop, Normalisation.SYMMETRIC, x, maps);
  }

  private Recorder.Maps maps(int cols, boolean withSelf) {
    return new Recorder.Maps(weight("w", cols), withSelf ? weight("self", cols) : null);
  }

  private Parameter weight(String name, int cols) {
    return parameters.weight(name, WIDTH, cols);
  }

  private Hop toAll() {
    return Hop.within(Block.of(memory, arcs), rows);
  }

  /** The first rows alone, which know their sources' degrees from the whole. */
  private Hop toFewer(Csr whole) {
    Block block = Block.of(memory, whole.slice(0, FEWER));
    block.symmetricSource(Block.of(memory, whole).symmetricSource());
    return Hop.of(block, rows, fewer);
  }

  private Csr weighted(Csr csr) {
    MemorySegment weights = memory.allocateFloats(csr.arcs());
    for (long arc = 0; arc < csr.arcs(); arc++) {
      weights.setAtIndex(JAVA_FLOAT, arc, 0.2f + (float) random.nextDouble());
    }
    return csr.withWeights(weights);
  }
}
