package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.CustomNetwork;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.train.inference.ForwardPass;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A trained model over a whole graph, layer by layer. Nothing is kept for gradients, so that it
 * takes the memory of the widest layer and not that of all; what exceeds memory lies in files, see
 * {@link ForwardPass}.
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
  private final LocalGraph local;
  private final Options options;
  private Memory passMemory;
  private int passLayer;
  private @Nullable ForwardPass pass;

  /**
   * Threads, most bytes outside the heap that may be taken, and where values lie if they exceed
   * that.
   */
  public record Options(int threads, long memoryLimit, ForwardPass.Place place) {
    public static final Options DEFAULT =
        new Options(Runtime.getRuntime().availableProcessors(), Long.MAX_VALUE);

    /** With all values in memory. */
    public Options(int threads, long memoryLimit) {
      this(threads, memoryLimit, ForwardPass.Place.MEMORY);
    }
  }

  private Inference(Graph graph, Path weights, @Nullable CustomNetwork network, Options options) {
    this.options = options;
    memory = Memory.limitedTo(options.memoryLimit());
    passMemory = memory.child();
    team = ThreadTeam.of(options.threads());
    try {
      file = ModelFile.read(weights, network, memory);
      match = match(weights, graph);
      local = LocalGraph.of(match.graph(), Worker.alone(graph, team, memory), Knobs.DEFAULT);
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
    return layer(layers());
  }

  /**
   * What a layer comes to: a row per vertex, in the graph's order, overwritten by the next call.
   * Another layer than that of the last call takes space of its own.
   *
   * @param layer from 1, the {@link #layers last} being the outputs
   */
  public Matrix layer(int layer) {
    if (layer < 1 || layer > layers()) {
      throw new IllegalArgumentException(
          "there is no layer "
              + layer
              + ": this "
              + file.model().spec().kind()
              + " has layers 1 to "
              + layers());
    }
    if (layer != passLayer) {
      pass = null;
      passMemory.close();
      passMemory = memory.child();
      pass = ForwardPass.of(match.graph(), file.model(), layer, options.place(), passMemory, team);
      passLayer = layer;
    }
    return Objects.requireNonNull(pass).run();
  }

  /** How many layers there are, as the model is made of: see {@link Model#sections()}. */
  public int layers() {
    return file.model().sections();
  }

  /** What the last run took besides the graph and the model. */
  public ForwardPass.Space space() {
    return Objects.requireNonNull(pass, "nothing was run yet").space();
  }

  /**
   * The metric it was chosen by, on the graph's split; labels of classes that the model does not
   * know are refused.
   */
  public Scores evaluate() {
    match.requireLabels();
    return new Evaluator(local, file.metric(), _ -> outputs()).evaluate();
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
