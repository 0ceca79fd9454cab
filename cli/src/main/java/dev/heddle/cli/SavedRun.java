package dev.heddle.cli;

import dev.heddle.graph.FeaturePlace;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.train.Inference;
import dev.heddle.train.inference.ForwardPass;
import dev.heddle.train.run.ModelFile;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that say which trained model is used on which graph. */
final class SavedRun {
  @Parameters(paramLabel = "<run>", description = "Folder that heddle train left.")
  private Path folder = Path.of(".");

  @Option(
      names = "--graph",
      description = {
        "Another graph than the one it was trained on. Features and classes are matched by name",
        "where they have names, and rows are scaled as they were in training."
      })
  private @Nullable String graph;

  @Option(
      names = "--threads",
      description = "Threads; 0 for all cores (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--features",
      description = {
        "Where a store's features are: ${COMPLETION-CANDIDATES} (default: as for training).",
        "mapped uses the store where it lies, in its own order; it may exceed memory."
      })
  private @Nullable FeaturePlace features;

  @Option(
      names = "--memory",
      description =
          "Most memory outside the heap: 512m, 8g (default: what the system has available).")
  private @Nullable String memory;

  @Option(
      names = "--scratch",
      description = {
        "Folder on a disk where values lie in files if they exceed memory",
        "(default: of the folder of --out; without one they must not)."
      })
  private @Nullable Path scratch;

  @Option(
      names = "--gathers",
      hidden = true,
      description = "Fetch each row where it lies, also where sources exceed memory.")
  private boolean gathers;

  Path folder() {
    return folder;
  }

  /** Opens the graph as it was read for training. */
  Graph open() {
    requireModel(folder);
    TrainCommand train = new TrainCommand();
    CommandLine line = new CommandLine(train).setCaseInsensitiveEnumValuesAllowed(true);
    line.setDefaultValueProvider(
        TrainDefaults.of(line.getCommandSpec(), List.of("--resume", folder.toString())));
    line.parseArgs(features == null ? new String[0] : new String[] {"--features", "" + features});
    long limit =
        memory == null ? SystemMemory.availableBytes() : RunOptions.bytes("--memory", memory);
    GraphOptions trainedOn = train.graph();
    if (graph == null) {
      return trainedOn.open(trainedOn.graph(), Memory.limitedTo(limit));
    }
    // A model that knows how rows were scaled has that done to the columns it knows, and only them.
    boolean scales = ModelFile.hasSchema(folder.resolve(RunFolder.MODEL));
    return trainedOn.openOther(graph, !scales, Memory.limitedTo(limit));
  }

  /** Refuses a folder without a trained model. */
  static void requireModel(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new InputException(folder + ": no such folder of a run");
    }
    if (!Files.exists(folder.resolve(RunFolder.MODEL))) {
      throw new InputException(
          folder + ": has no " + RunFolder.MODEL + "; try heddle train --resume " + folder);
    }
  }

  /**
   * The model on an open graph; what does not match without being wrong is said.
   *
   * @param aside where values may lie in files unless another place is given; null for nowhere
   */
  Inference inference(Graph graphOf, @Nullable Path aside, PrintWriter err) {
    if (threads < 0) {
      throw new InputException("threads must not be negative, but is " + threads);
    }
    int count = threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    Path files = scratch == null ? aside : scratch;
    if (files != null && !Files.isDirectory(files)) {
      throw new InputException("--scratch " + files + ": is no folder");
    }
    // What the graph has taken counts, too.
    var options =
        new Inference.Options(
            count, graphOf.memory().available(), new ForwardPass.Place(files, gathers));
    Inference inference = Inference.of(graphOf, folder.resolve(RunFolder.MODEL), options);
    inference.warnings().forEach(warning -> err.println("heddle: " + warning));
    return inference;
  }

  /** Says what was written, and how, where values were in files. */
  void report(Graph graphOf, Inference inference, Path written, PrintWriter out) {
    out.println(graphOf.vertices() + " vertices of " + graphOf.name() + ": " + written);
    ForwardPass.Space space = inference.space();
    if (space.files()) {
      out.printf(
          Locale.ROOT,
          "%,.1f MB of values in files, %,.1f MB of memory to make sums in%n",
          space.bytes() / 1e6,
          space.working() / 1e6);
    }
  }
}
