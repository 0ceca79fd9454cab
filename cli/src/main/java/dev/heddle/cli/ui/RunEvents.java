package dev.heddle.cli.ui;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.json.JsonMapper;

/**
 * Server-sent events of one run, from its files: new epochs, what its workers are at, and its end.
 * The run itself knows nothing of who looks.
 */
final class RunEvents {
  private static final JsonMapper JSON = new JsonMapper();
  private static final long PAUSE_MILLIS = 500;

  /** A comment to a connection on which nothing happens, so that one that is gone is noticed. */
  private static final int SIGN_OF_LIFE = 20;

  private final RunCatalog catalog;
  private final Path folder;
  private final BooleanSupplier open;

  /**
   * Events of a run.
   *
   * @param open whether the server still serves
   */
  RunEvents(RunCatalog catalog, Path folder, BooleanSupplier open) {
    this.catalog = catalog;
    this.folder = folder;
    this.open = open;
  }

  /** Writes events until the run has ended or the reader is gone. */
  void write(OutputStream out, long begin) throws IOException, InterruptedException {
    long at = begin;
    String live = "";
    int quiet = 0;
    while (open.getAsBoolean()) {
      // Looked at before its files: what an ended run wrote is all there.
      RunState state = catalog.run(folder).state();
      boolean said = false;
      Metrics.Part part = Metrics.from(folder.resolve(RunRow.METRICS), at);
      if (part.next() != at) {
        at = part.next();
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("next", at);
        event.put("columns", part.columns());
        send(out, "metrics", JSON.writeValueAsString(event));
        said = true;
      }
      String workers = JSON.writeValueAsString(LiveWorkers.read(folder));
      if (!workers.equals(live)) {
        live = workers;
        send(out, "live", workers);
        said = true;
      }
      if (state != RunState.RUNNING) {
        send(out, "end", JSON.writeValueAsString(state.toString()));
        return;
      }
      quiet = said ? 0 : quiet + 1;
      if (quiet == SIGN_OF_LIFE) {
        out.write(":\n\n".getBytes(StandardCharsets.UTF_8));
        out.flush();
        quiet = 0;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  private static void send(OutputStream out, String event, String data) throws IOException {
    out.write(("event: " + event + "\ndata: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
