package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import java.nio.file.Path;

/**
 * A trained model over a whole graph, layer by layer. Nothing is kept for gradients, so that it
 * takes the memory of the widest layer and not that of all.
 *
 * <pre>{@code
 * try (Graph graph = Graph.open(Path.of("cora"));
 *     Inference inference = Inference.of(graph, Path.of("cora.safetensors"), Options.DEFAULT)) {
 *   Matrix outputs = inference.outputs();
 * }
 * }</pre>
 */
public final class Inference implements AutoCloseable {
  private final Graph graph;
  private final Memory memory;
  private final ThreadTeam team;
  private final ModelFile file;
  private final Program program;

  /** Threads, and most bytes outside the heap that may be taken. */
  public record Options(int threads, long memoryLimit) {
    public static final Options DEFAULT =
        new Options(Runtime.getRuntime().availableProcessors(), Long.MAX_VALUE);
  }

  private Inference(Graph graph, Path weights, Options options) {
    this.graph = graph;
    memory = Memory.limitedTo(options.memoryLimit());
    team = ThreadTeam.of(options.threads());
    try {
      file = ModelFile.read(weights, memory);
      requireFit(weights, file.model().shape().features(), TrainableGraph.features(graph).width());
      var recording = new Recorder.Options(true, false, true);
      program =
          FullGraphProgram.record(graph, file.model(), recording, memory).allocate(memory, team);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * The model of a file that {@link Training#save} wrote, on a graph with features of its width.
   */
  public static Inference of(Graph graph, Path weights, Options options) {
    return new Inference(graph, weights, options);
  }

  private void requireFit(Path weights, int expected, int found) {
    if (expected != found) {
      throw new CheckpointException(
          weights,
          "wants features of width " + expected + ", but " + graph.name() + " has " + found);
    }
  }

  /** A row per vertex, before softmax or sigmoid, in the graph's order. */
  public Matrix outputs() {
    program.forward(new Step(0).evaluate());
    return program.output();
  }

  /** The metric it was chosen by, on the graph's split. */
  public Scores evaluate() {
    Labels labels = TrainableGraph.labels(graph);
    if (labels.width() != file.model().shape().outputs()) {
      throw new IllegalArgumentException(
          "the model has "
              + file.model().shape().outputs()
              + " outputs, but "
              + graph.name()
              + " has labels of width "
              + labels.width());
    }
    Split split = TrainableGraph.split(graph);
    Matrix outputs = outputs();
    return new Scores(
        metric().evaluate(outputs, labels, split.train()),
        metric().evaluate(outputs, labels, split.valid()),
        metric().evaluate(outputs, labels, split.test()));
  }

  public Model model() {
    return file.model();
  }

  public Task task() {
    return file.task();
  }

  public Metric metric() {
    return file.metric();
  }

  /** Bytes taken outside the heap. */
  public long memoryBytes() {
    return memory.bytes();
  }

  @Override
  public void close() {
    team.close();
    memory.close();
  }
}
