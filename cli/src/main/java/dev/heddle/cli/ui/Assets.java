package dev.heddle.cli.ui;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The files of the page: resources of this package, and nothing else. */
final class Assets {
  private static final String FOLDER = "page/";

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  /** All there are: whatever else is asked for is not looked for. */
  private static final String[] NAMES = {
    "index.html",
    "style.css",
    "icon.svg",
    "app.js",
    "api.js",
    "dom.js",
    "runs.js",
    "filter.js",
    "compare.js",
    "run.js",
    "charts.js",
    "bars.js",
    "matrix.js",
    "timeline.js",
    "vendor/uPlot.iife.min.js",
    "vendor/uPlot.min.css"
  };

  private final Map<String, Reply> files = new TreeMap<>();

  Assets() {
    for (String name : NAMES) {
      files.put("/" + name, new Reply(200, type(name), read(name)));
    }
  }

  /** The file at a path of the page; null where there is none. */
  @Nullable Reply at(String path) {
    return files.get(path.equals("/") ? "/index.html" : path);
  }

  private static String type(String name) {
    return TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain");
  }

  private static String read(String name) {
    try (InputStream in = Assets.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException("the page's " + name + " is not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
