package dev.heddle.train;

import dev.heddle.graph.Block;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.run.Scores;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/**
 * What comes out without learning: what a model must beat to be worth its while. For graphs whose
 * vertices have one class each.
 */
public final class Baselines implements AutoCloseable {
  private static final int PROPAGATIONS = 30;

  private final Graph graph;
  private final Metric metric;
  private final ClassLabels labels;
  private final Split split;
  private final int majority;
  private final Memory memory;

  private Baselines(Graph graph, ClassLabels labels, Metric metric, Memory memory) {
    this.memory = memory;
    this.graph = graph;
    this.metric = metric;
    this.labels = labels;
    split = TrainableGraph.split(graph);
    majority = mostUsed();
  }

  /**
   * Baselines of a graph.
   *
   * @param memory for what they need, which they close
   */
  public static Baselines of(Graph graph, Metric metric, Memory memory) {
    if (!(graph.labels() instanceof ClassLabels classes)) {
      throw new IllegalArgumentException(
          "baselines are for graphs with one class per vertex: try --no-baselines");
    }
    return new Baselines(graph, classes, metric, memory);
  }

  private int mostUsed() {
    int[] counts = new int[labels.classes()];
    for (int vertex : split.train()) {
      counts[labels.at(vertex)]++;
    }
    int most = 0;
    for (int c = 1; c < counts.length; c++) {
      most = counts[c] > counts[most] ? c : most;
    }
    return most;
  }

  /** For every vertex the class that most training vertices have. */
  public Scores majority() {
    Matrix scores = Matrix.allocate(memory, graph.vertices(), labels.classes());
    for (int v = 0; v < graph.vertices(); v++) {
      scores.set(v, majority, 1);
    }
    return score(scores);
  }

  /**
   * Classes of training vertices spread over the arcs (Zhu & Ghahramani, 2002): 30 times {@code Y ←
   * D⁻¹AY}, the rows of training vertices being put back each time. Vertices that nothing reaches
   * have the majority's class.
   */
  public Scores labelPropagation(ThreadTeam team) {
    Rows vertices = new Rows(graph.vertices());
    Matrix scores = Matrix.allocate(memory, graph.vertices(), labels.classes());
    BitSet known = new BitSet();
    for (int vertex : split.train()) {
      known.set(vertex);
      scores.set(vertex, labels.at(vertex), 1);
    }
    Recorder r = new Recorder(new Recorder.Options(false, false, true));
    Hop hop = Hop.within(Block.of(memory, graph.in()), vertices);
    Program program =
        r.build(r.aggregate(hop, Normalisation.MEAN, r.input(vertices, new DenseFeatures(scores))))
            .allocate(memory, team);
    Step step = new Step(0).evaluate();
    for (int i = 0; i < PROPAGATIONS; i++) {
      program.forward(step);
      Matrix spread = program.output();
      long bytes = (long) scores.cols() * Float.BYTES;
      for (int v = known.nextClearBit(0); v < scores.rows(); v = known.nextClearBit(v + 1)) {
        MemorySegment.copy(spread.data(), spread.offset(v), scores.data(), scores.offset(v), bytes);
      }
    }
    for (int v = 0; v < scores.rows(); v++) {
      if (isZero(scores, v)) {
        scores.set(v, majority, 1);
      }
    }
    return score(scores);
  }

  private static boolean isZero(Matrix scores, int row) {
    for (int c = 0; c < scores.cols(); c++) {
      if (scores.get(row, c) != 0) {
        return false;
      }
    }
    return true;
  }

  private Scores score(Matrix scores) {
    return new Scores(
        metric.evaluate(scores, labels, split.train()),
        metric.evaluate(scores, labels, split.valid()),
        metric.evaluate(scores, labels, split.test()));
  }

  @Override
  public void close() {
    memory.close();
  }
}
