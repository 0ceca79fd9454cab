package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.CustomNetwork;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.train.loop.Evaluator;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.CheckpointException;
import dev.heddle.train.run.ModelFile;
import dev.heddle.train.run.Scores;
import dev.heddle.train.run.Task;
import dev.heddle.train.settings.Knobs;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

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
  private final Evaluator evaluator;

  /** Threads, and most bytes outside the heap that may be taken. */
  public record Options(int threads, long memoryLimit) {
    public static final Options DEFAULT =
        new Options(Runtime.getRuntime().availableProcessors(), Long.MAX_VALUE);
  }

  private Inference(Graph graph, Path weights, @Nullable CustomNetwork network, Options options) {
    this.graph = graph;
    memory = Memory.limitedTo(options.memoryLimit());
    team = ThreadTeam.of(options.threads());
    try {
      file = ModelFile.read(weights, network, memory);
      requireFit(weights, file.model().shape().features(), TrainableGraph.features(graph).width());
      var recording = new Recorder.Options(true, false, true);
      LocalGraph local = LocalGraph.of(graph, Worker.alone(graph, team, memory), Knobs.DEFAULT);
      Program program = local.record(file.model(), recording).allocate(memory, team);
      evaluator = new Evaluator(local, file.metric(), () -> program);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * The model of a file that {@link Training#save} wrote, on a graph with features of its width.
   */
  public static Inference of(Graph graph, Path weights, Options options) {
    return new Inference(graph, weights, null, options);
  }

  /** The model of a file whose weights are of a network of the user's own. */
  public static Inference of(Graph graph, Path weights, CustomNetwork network, Options options) {
    return new Inference(graph, weights, network, options);
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
    return evaluator.predict();
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
    return evaluator.evaluate();
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
