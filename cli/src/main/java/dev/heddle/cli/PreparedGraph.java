package dev.heddle.cli;

import dev.heddle.graph.Graph;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A graph as processes of one machine share it: a store, made once, of which each maps all and
 * reads its part. Read by each for itself, a folder would be in memory as often as there are
 * workers.
 */
final class PreparedGraph implements AutoCloseable {
  private static final String STORE = "graph";

  private final @Nullable Path folder;

  private PreparedGraph(@Nullable Path folder) {
    this.folder = folder;
  }

  /**
   * Makes the store, unless the graph is one already that is used where it lies.
   *
   * @param whole the graph, as the options say it is
   * @param scratch where there is room for it; null for the system's place for such
   */
  static PreparedGraph of(GraphOptions graph, Graph whole, @Nullable Path scratch) {
    if (graph.mapped()) {
      return new PreparedGraph(null);
    }
    PreparedGraph prepared = new PreparedGraph(folder(scratch));
    try {
      graph.prepare(whole, prepared.store());
      return prepared;
    } catch (RuntimeException | Error e) {
      prepared.close();
      throw e;
    }
  }

  private static Path folder(@Nullable Path scratch) {
    try {
      return scratch == null
          ? Files.createTempDirectory("heddle-graph")
          : Files.createTempDirectory(Files.createDirectories(scratch), "heddle-graph");
    } catch (IOException e) {
      throw new UncheckedIOException("there is no place for the graph: " + e.getMessage(), e);
    }
  }

  private Path store() {
    return folder == null ? Path.of("") : folder.resolve(STORE);
  }

  /** What a worker must be told besides what the first was. */
  List<String> arguments() {
    return folder == null ? List.of() : List.of("--prepared", store().toString());
  }

  @Override
  public void close() {
    if (folder == null) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException _) {
      // It is among what is temporary; nothing depends on it.
    }
  }
}
