package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.train.Inference;
import dev.heddle.train.run.ModelFile;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  Path folder() {
    return folder;
  }

  /** Opens the graph as it was read for training. */
  Graph open() {
    if (!Files.isDirectory(folder)) {
      throw new InputException(folder + ": no such folder of a run");
    }
    if (!Files.exists(folder.resolve(RunFolder.MODEL))) {
      throw new InputException(
          folder + ": has no " + RunFolder.MODEL + "; try heddle train --resume " + folder);
    }
    TrainCommand train = new TrainCommand();
    CommandLine line = new CommandLine(train).setCaseInsensitiveEnumValuesAllowed(true);
    line.setDefaultValueProvider(
        TrainDefaults.of(line.getCommandSpec(), List.of("--resume", folder.toString())));
    line.parseArgs();
    GraphOptions trainedOn = train.graph();
    if (graph == null) {
      return trainedOn.open(trainedOn.graph(), SystemMemory.available());
    }
    // A model that knows how rows were scaled has that done to the columns it knows, and only them.
    boolean scales = ModelFile.hasSchema(folder.resolve(RunFolder.MODEL));
    return trainedOn.openOther(graph, !scales, SystemMemory.available());
  }

  /** The model on an open graph; what does not match without being wrong is said. */
  Inference inference(Graph graphOf, PrintWriter err) {
    if (threads < 0) {
      throw new InputException("threads must not be negative, but is " + threads);
    }
    int count = threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    var options = new Inference.Options(count, SystemMemory.availableBytes());
    Inference inference = Inference.of(graphOf, folder.resolve(RunFolder.MODEL), options);
    inference.warnings().forEach(warning -> err.println("heddle: " + warning));
    return inference;
  }
}
