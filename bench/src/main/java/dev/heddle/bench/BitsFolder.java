package dev.heddle.bench;

import dev.heddle.bench.HeddleCommand.Ended;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Where the graphs of {@link BitsCase}s and what the trainings leave lie. A graph is made when its
 * name is first met: {@code @words} is a folder that is written here, byte by byte as ever; {@code
 * @words.store} the store that the command makes of it.
 */
final class BitsFolder {
  private static final String SIGN = "@";
  private static final String STORE = ".store";
  private static final String OUT = "@out";
  private static final String SCRATCH = "@scratch";
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Path folder;
  private final HeddleCommand heddle;

  BitsFolder(Path folder, HeddleCommand heddle) throws IOException {
    this.folder = folder.toAbsolutePath().normalize();
    this.heddle = heddle;
    Folders.delete(graphs());
    Files.createDirectories(graphs());
    Files.createDirectories(runs());
  }

  private Path graphs() {
    return folder.resolve("graphs");
  }

  private Path runs() {
    return folder.resolve("runs");
  }

  /** The folder of a case's run, where nothing is yet. */
  Path emptyRun(BitsCase of) throws IOException {
    Path run = runs().resolve(of.name());
    Folders.delete(run);
    return run;
  }

  /** What an argument says once paths stand where names did. */
  String resolve(String argument, Path run) throws IOException {
    if (!argument.startsWith(SIGN)) {
      return argument;
    }
    return switch (argument) {
      case OUT -> run.toString();
      case SCRATCH -> Files.createDirectories(folder.resolve("scratch")).toString();
      default -> graph(argument.substring(1)).toString();
    };
  }

  private Path graph(String name) throws IOException {
    Path place = graphs().resolve(name);
    if (Files.exists(place)) {
      return place;
    }
    if (!name.endsWith(STORE)) {
      SmallGraph.named(name).write(place);
      return place;
    }
    String from = name.substring(0, name.length() - STORE.length());
    Ended ended =
        heddle.run(
            List.of("import", "--graph", graph(from).toString(), "--out", place.toString()),
            PATIENCE);
    if (ended.exit() != 0) {
      throw new IOException("heddle import of " + from + " failed: " + ended.lastError());
    }
    return place;
  }

  /** A message of the command in which no path depends on where things lie. */
  String withoutPaths(String message) {
    return message
        .replace(folder.toString(), "@work")
        .replace(heddle.checkout().toString(), "@checkout");
  }
}
