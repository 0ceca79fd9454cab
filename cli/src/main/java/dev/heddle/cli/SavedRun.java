package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.train.Inference;
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
      description = "Another graph than the one it was trained on, with features of its width.")
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
    return trainedOn.open(graph == null ? trainedOn.graph() : graph, SystemMemory.available());
  }

  /** The model on an open graph. */
  Inference inference(Graph graphOf) {
    if (threads < 0) {
      throw new InputException("threads must not be negative, but is " + threads);
    }
    int count = threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    var options = new Inference.Options(count, SystemMemory.availableBytes());
    return Inference.of(graphOf, folder.resolve(RunFolder.MODEL), options);
  }
}
