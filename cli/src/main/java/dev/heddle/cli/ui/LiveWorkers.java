package dev.heddle.cli.ui;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What each worker of a run was at a moment ago: {@code live/worker-0.json} and so on, which
 * workers replace every second where the run is watched ({@code heddle train --ui}).
 */
final class LiveWorkers {
  static final String FOLDER = "live";

  private static final JsonMapper JSON = new JsonMapper();

  private LiveWorkers() {}

  /** By rank; none where the run is not watched. */
  static List<JsonNode> read(Path run) throws IOException {
    List<JsonNode> workers = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(run.resolve(FOLDER), "worker-*.json")) {
      for (Path file : files) {
        try {
          workers.add(JSON.readTree(Files.readString(file)));
        } catch (NoSuchFileException | JacksonException _) {
          // Taken away at the end of the run, or not whole: there is another in a second.
        }
      }
    } catch (NoSuchFileException | NotDirectoryException _) {
      return List.of();
    }
    workers.sort(Comparator.comparingInt(worker -> worker.path("worker").asInt(0)));
    return workers;
  }
}
