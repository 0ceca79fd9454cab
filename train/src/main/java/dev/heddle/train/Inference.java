package dev.heddle.train;

import dev.heddle.graph.Graph;
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
import dev.heddle.train.loop.Worker;
import dev.heddle.train.run.CheckpointException;
import dev.heddle.train.run.ModelFile;
import dev.heddle.train.run.ModelSchema;
import dev.heddle.train.run.SchemaMatch;
import dev.heddle.train.run.Scores;
import dev.heddle.train.run.Task;
import dev.heddle.train.settings.Knobs;
import java.nio.file.Path;
import java.util.List;
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
  private final Memory memory;
  private final ThreadTeam team;
  private final ModelFile file;
  private final SchemaMatch match;
  private final Evaluator evaluator;

  /** Threads, and most bytes outside the heap that may be taken. */
  public record Options(int threads, long memoryLimit) {
    public static final Options DEFAULT =
        new Options(Runtime.getRuntime().availableProcessors(), Long.MAX_VALUE);
  }

  private Inference(Graph graph, Path weights, @Nullable CustomNetwork network, Options options) {
    memory = Memory.limitedTo(options.memoryLimit());
    team = ThreadTeam.of(options.threads());
    try {
      file = ModelFile.read(weights, network, memory);
      match = match(weights, graph);
      var recording = new Recorder.Options(true, false, true);
      LocalGraph local =
          LocalGraph.of(match.graph(), Worker.alone(graph, team, memory), Knobs.DEFAULT);
      Program program = local.record(file.model(), recording).allocate(memory, team);
      evaluator = new Evaluator(local, file.metric(), Evaluator.Outputs.of(() -> program));
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /**
   * The model of a file that {@link Training#save} wrote. Columns of features and classes are
   * matched by name, and rows are scaled as they were in training; a graph that lacks some is
   * refused.
   */
  public static Inference of(Graph graph, Path weights, Options options) {
    return new Inference(graph, weights, null, options);
  }

  /** The model of a file whose weights are of a network of the user's own. */
  public static Inference of(Graph graph, Path weights, CustomNetwork network, Options options) {
    return new Inference(graph, weights, network, options);
  }

  private SchemaMatch match(Path weights, Graph graph) {
    try {
      return SchemaMatch.of(file, graph, memory);
    } catch (IllegalArgumentException e) {
      throw new CheckpointException(weights, String.valueOf(e.getMessage()), e);
    }
  }

  /** A row per vertex, before softmax or sigmoid, in the graph's order. */
  public Matrix outputs() {
    return evaluator.predict();
  }

  /**
   * The metric it was chosen by, on the graph's split; labels of classes that the model does not
   * know are refused.
   */
  public Scores evaluate() {
    match.requireLabels();
    return evaluator.evaluate();
  }

  public Model model() {
    return file.model();
  }

  /**
   * What the model was trained on: names of outputs and features. Of a file that does not say so,
   * what the graph calls them.
   */
  public ModelSchema schema() {
    return match.schema();
  }

  /** What a user should know of how the graph was matched with what the model was trained on. */
  public List<String> warnings() {
    return match.warnings();
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
