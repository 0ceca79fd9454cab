package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code heddle train --ui}: workers say what they are at, and the page's button ends the run. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class WatchedRunTest {
  private static final Pattern PAGE = Pattern.compile("(http://[^/]+)/#/run/run\\?secret=(\\w+)");

  @TempDir private Path folder;

  @Test
  void isShownAsItGoesAndEndsWhenAsked() throws Exception {
    String graph = RingGraph.write(folder.resolve("rings"), 60).toString();
    Path run = folder.resolve("run");
    Child train =
        Child.start(
            folder.resolve("output.txt"),
            "train",
            "--graph",
            graph,
            "--epochs",
            "1000000",
            "--evaluate-every",
            "0",
            "--workers",
            "2",
            "--threads",
            "2",
            "--ui",
            "--out",
            run.toString());
    try {
      Matcher page = page(train);
      String base = page.group(1);
      try (HttpClient client = HttpClient.newHttpClient()) {
        JsonNode live = awaitWorkers(client, base);
        for (int worker = 0; worker < 2; worker++) {
          JsonNode one = live.get(worker);
          assertThat(one.get("worker").asInt()).isEqualTo(worker);
          assertThat(one.get("memory").get("taken").asLong()).isPositive();
          assertThat(one.get("sent").get(0).get(1).asInt()).isEqualTo(1 - worker);
          JsonNode thread = one.get("threads").get(0);
          assertThat(thread.get("thread").asString()).isEqualTo("train");
          assertThat(thread.get("spans").size()).isBetween(1, 200);
        }
        HttpRequest stop =
            HttpRequest.newBuilder(URI.create(base + "/api/stop?id=run"))
                .header("X-Heddle-Secret", page.group(2))
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        assertThat(client.send(stop, HttpResponse.BodyHandlers.ofString()).statusCode())
            .isEqualTo(200);
      }
      assertThat(train.await()).isEqualTo(TrainCommand.INTERRUPTED);
    } finally {
      train.process().destroyForcibly();
    }
    // What was for the page alone is gone; the run can go on.
    assertThat(run.resolve("live")).doesNotExist();
    assertThat(run.resolve("checkpoints")).isNotEmptyDirectory();
  }

  /** Where the run says that its page is. */
  private static Matcher page(Child train) throws Exception {
    while (train.process().isAlive()) {
      Matcher page = PAGE.matcher(train.printed());
      if (page.find()) {
        return page;
      }
      Thread.sleep(50);
    }
    throw new AssertionError("training ended before it had a page:\n" + train.printed());
  }

  private static JsonNode awaitWorkers(HttpClient client, String base) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(base + "/api/run?id=run")).build();
    while (true) {
      String body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
      JsonNode live = new JsonMapper().readTree(body).get("live");
      if (live.size() == 2 && isAtWork(live.get(0)) && isAtWork(live.get(1))) {
        return live;
      }
      Thread.sleep(100);
    }
  }

  /** Whether a worker has been through an epoch: what it says first may be from before. */
  private static boolean isAtWork(JsonNode worker) {
    return !worker.get("sent").isEmpty() && !worker.get("threads").get(0).get("spans").isEmpty();
  }
}
