package dev.heddle.train;

import java.nio.file.Path;

/** Where real graphs are: {@code $HEDDLE_DATA}, or {@code ../shared/data} beside the project. */
final class RealGraphs {
  private RealGraphs() {}

  static Path folder(String graph) {
    String given = System.getenv("HEDDLE_DATA");
    Path data =
        given != null
            ? Path.of(given)
            : Path.of(System.getProperty("heddle.root", "..")).resolve("../shared/data");
    return data.normalize().resolve(graph);
  }
}
