package dev.heddle.cli.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the page's server says, to whom, and what it refuses. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PageServerTest {
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path root;

  private HttpClient client;
  private PageServer page;

  @BeforeEach
  void start() throws IOException {
    client = HttpClient.newHttpClient();
    run("first", "model: gcn\nlr: 0.01\n", 3, true);
    run("sweep/second", "model: sage\nlr: 0.003\n", 2, false);
    page = PageServer.start(root, 0);
  }

  @AfterEach
  void stop() {
    page.close();
    client.close();
  }

  private Path run(String id, String config, int epochs, boolean finished) throws IOException {
    Path folder = Files.createDirectories(root.resolve(id));
    Files.writeString(folder.resolve("run.yaml"), "# heddle train --config\n" + config);
    Files.writeString(folder.resolve("environment.json"), "{\"time\":\"2026-01-01T00:00:00Z\"}");
    StringBuilder lines = new StringBuilder();
    for (int epoch = 1; epoch <= epochs; epoch++) {
      lines.append(line(epoch));
    }
    Files.writeString(folder.resolve("metrics.jsonl"), lines);
    if (finished) {
      Files.writeString(
          folder.resolve("summary.json"),
          "{\"test\":0.75,\"sent\":{\"bytesPerEpoch\":1200},\"bestEpoch\":2}");
    }
    return folder;
  }

  private static String line(int epoch) {
    String valid = epoch % 2 == 0 ? ",\"valid\":0.5" : "";
    return "{\"epoch\":%d,\"loss\":%s,\"seconds\":0.25%s}\n".formatted(epoch, 1.0 / epoch, valid);
  }

  private HttpResponse<String> get(String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + page.port() + path));
    return client.send(
        headers.length == 0 ? request.build() : request.headers(headers).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode json(String path) throws IOException, InterruptedException {
    HttpResponse<String> response = get(path);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  @Test
  void listsRunsAndWhatCannotBeRead() throws Exception {
    Path broken = run("broken", "model: gcn\n", 1, true);
    Files.writeString(broken.resolve("summary.json"), "{\"test\":");
    JsonNode listing = json("/api/runs");
    assertThat(listing.get("found").asInt()).isEqualTo(3);
    assertThat(listing.get("problems").get(0).get("id").asString()).isEqualTo("broken");
    assertThat(listing.get("problems").get(0).get("why").asString()).startsWith("summary.json: ");
    Map<String, JsonNode> byId = new TreeMap<>();
    listing.get("runs").forEach(run -> byId.put(run.get("id").asString(), run));
    assertThat(byId.keySet()).containsExactly("first", "sweep/second");
    JsonNode first = Objects.requireNonNull(byId.get("first"));
    assertThat(first.get("state").asString()).isEqualTo("finished");
    assertThat(first.get("values").get("model").asString()).isEqualTo("gcn");
    assertThat(first.get("values").get("epoch").asInt()).isEqualTo(3);
    assertThat(first.get("values").get("test").asDouble()).isEqualTo(0.75);
    assertThat(first.get("values").get("sent.bytesPerEpoch").asInt()).isEqualTo(1200);
    JsonNode second = Objects.requireNonNull(byId.get("sweep/second"));
    assertThat(second.get("state").asString()).isEqualTo("interrupted");
  }

  @Test
  void showsWhatChangedSinceItWasRead() throws Exception {
    assertThat(json("/api/runs").get("found").asInt()).isEqualTo(2);
    Files.writeString(root.resolve("first/summary.json"), "{\"test\":0.875}");
    run("third", "model: gin\n", 1, true);
    JsonNode listing = json("/api/runs");
    assertThat(listing.get("found").asInt()).isEqualTo(3);
    assertThat(json("/api/run?id=first").get("values").get("test").asDouble()).isEqualTo(0.875);
  }

  @Test
  void givesEpochsAsColumnsFromAPlaceOn() throws Exception {
    Path file = root.resolve("first/metrics.jsonl");
    JsonNode all = json("/api/metrics?id=first");
    assertThat(all.get("next").asLong()).isEqualTo(Files.size(file));
    assertThat(all.get("columns").get("epoch").toString()).isEqualTo("[1.0,2.0,3.0]");
    assertThat(all.get("columns").get("valid").toString()).isEqualTo("[null,0.5,null]");
    // The line that is being written is not there yet.
    Files.writeString(file, line(4) + "{\"epoch\":5", StandardOpenOption.APPEND);
    JsonNode more = json("/api/metrics?id=first&from=" + all.get("next").asLong());
    assertThat(more.get("columns").get("epoch").toString()).isEqualTo("[4.0]");
  }

  /** Epochs arrive as they are written, until the run gives its folder up. */
  @Test
  void followsARunToItsEnd() throws Exception {
    Path folder = run("live", "epochs: 9\n", 2, false);
    AtomicInteger stopped = new AtomicInteger();
    RunControl control =
        new RunControl() {
          @Override
          public Path folder() {
            return folder;
          }

          @Override
          public void stop() {
            stopped.incrementAndGet();
          }
        };
    page.close();
    page = PageServer.start(root, 0, control);
    assertThat(page.address())
        .isEqualTo("http://127.0.0.1:" + page.port() + "/#/run/live?secret=" + page.secret());
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + page.port() + "/api/events?id=live&from=0"))
            .build();
    HttpResponse<InputStream> response =
        client.send(request, HttpResponse.BodyHandlers.ofInputStream());
    assertThat(response.headers().firstValue("Content-Type")).hasValue("text/event-stream");
    try (BufferedReader events =
        new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      assertThat(next(events, "metrics").get("columns").get("epoch").toString())
          .isEqualTo("[1.0,2.0]");
      Files.writeString(folder.resolve("metrics.jsonl"), line(3), StandardOpenOption.APPEND);
      assertThat(next(events, "metrics").get("columns").get("epoch").toString()).isEqualTo("[3.0]");
      Files.createDirectories(folder.resolve("live"));
      Files.writeString(folder.resolve("live/worker-0.json"), "{\"worker\":0,\"epoch\":3}");
      assertThat(next(events, "live").get(0).get("epoch").asInt()).isEqualTo(3);
    }
    assertThat(post("/api/stop?id=live", "").statusCode()).isEqualTo(403);
    assertThat(post("/api/stop?id=live", "0".repeat(32)).statusCode()).isEqualTo(403);
    assertThat(post("/api/stop?id=first", page.secret()).statusCode()).isEqualTo(409);
    assertThat(get("/api/stop?id=live").statusCode()).isEqualTo(405);
    assertThat(stopped).hasValue(0);
    assertThat(post("/api/stop?id=live", page.secret()).statusCode()).isEqualTo(200);
    assertThat(stopped).hasValue(1);
  }

  private HttpResponse<String> post(String path, String secret)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + page.port() + path))
            .header("X-Heddle-Secret", secret)
            .POST(HttpRequest.BodyPublishers.noBody())
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode next(BufferedReader events, String kind) throws IOException {
    String event = "";
    for (String line = events.readLine(); line != null; line = events.readLine()) {
      if (line.startsWith("event: ")) {
        event = line.substring(7);
      } else if (line.startsWith("data: ") && event.equals(kind)) {
        JsonNode data = JSON.readTree(line.substring(6));
        if (!data.isEmpty()) {
          return data;
        }
      }
    }
    throw new AssertionError("the events ended before one of kind " + kind);
  }

  /** Events of a run that has ended say so at once. */
  @Test
  void eventsOfAFinishedRunEnd() throws Exception {
    String events = get("/api/events?id=first&from=0").body();
    assertThat(events).contains("event: metrics\n").endsWith("event: end\ndata: \"finished\"\n\n");
  }

  /**
   * A run that another process holds is running; this one only looks, and leaves the lock alone.
   */
  @Test
  void aLockedFolderIsOfARunningRun() throws Exception {
    Path lock = root.resolve("sweep/second/.lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      assertThat(json("/api/run?id=sweep/second").get("state").asString()).isEqualTo("running");
    }
    assertThat(json("/api/run?id=sweep/second").get("state").asString()).isEqualTo("interrupted");
  }

  /** A foreign page may resolve a name of its own to this machine, but its requests name it. */
  @Test
  void refusesOtherHosts() throws Exception {
    for (String host : List.of("evil.example", "evil.example:" + page.port(), "10.0.0.1")) {
      assertThat(raw("GET /api/runs HTTP/1.1\r\nHost: " + host)).startsWith("HTTP/1.1 403");
    }
    assertThat(raw("GET /api/runs HTTP/1.1\r\nHost: localhost:" + page.port()))
        .startsWith("HTTP/1.1 200");
    // Nothing listens beyond loopback.
    for (NetworkInterface card :
        NetworkInterface.networkInterfaces().filter(PageServerTest::isOutside).toList()) {
      for (InetAddress address : card.inetAddresses().toList()) {
        assertThatThrownBy(() -> new Socket(address, page.port()).close())
            .isInstanceOf(IOException.class);
      }
    }
  }

  private static boolean isOutside(NetworkInterface card) {
    try {
      return card.isUp() && !card.isLoopback();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private String raw(String head) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), page.port())) {
      socket.setSoTimeout(10_000);
      String request = head + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Only folders of runs below the root are read, and only files of the page are served. */
  @Test
  void refusesWhatLiesElsewhere() throws Exception {
    Path outside = Files.createTempDirectory("heddle-outside");
    Files.writeString(outside.resolve("run.yaml"), "model: gcn\n");
    for (String id :
        List.of("../" + outside.getFileName(), outside.toString(), "none", "", "first/..")) {
      assertThat(get("/api/run?id=" + id).statusCode()).as(id).isEqualTo(404);
    }
    for (String path : List.of("/../app.js", "/Assets.class", "/vendor/uPlot.LICENSE", "/x")) {
      assertThat(get(path).statusCode()).as(path).isEqualTo(404);
    }
    assertThat(post("/api/runs", "").statusCode()).isEqualTo(405);
    Files.delete(outside.resolve("run.yaml"));
    Files.delete(outside);
  }

  @Test
  void servesThePageWithItsTypesAndNothingFromOutside() throws Exception {
    HttpResponse<String> index = get("/");
    assertThat(index.headers().firstValue("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(index.headers().firstValue("Content-Security-Policy").orElseThrow())
        .startsWith("default-src 'self';");
    assertThat(index.body()).doesNotContain("http:", "https:", "//cdn");
    for (String script : List.of("app", "api", "dom", "runs", "filter", "compare", "run")) {
      HttpResponse<String> response = get("/" + script + ".js");
      assertThat(response.headers().firstValue("Content-Type"))
          .hasValue("text/javascript; charset=utf-8");
      // Text of runs never becomes markup.
      assertThat(response.body()).doesNotContain("innerHTML", "insertAdjacentHTML", "eval(");
    }
  }

  /** uPlot 1.6.32, as published: whoever replaces it replaces these too. */
  @Test
  void vendoredFilesAreThePublishedOnes() throws Exception {
    Map<String, String> sums =
        Map.of(
            "uPlot.iife.min.js", "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
            "uPlot.min.css", "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
            "uPlot.LICENSE", "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd");
    for (Map.Entry<String, String> sum : sums.entrySet()) {
      try (InputStream in = PageServer.class.getResourceAsStream("page/vendor/" + sum.getKey())) {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(in.readAllBytes());
        assertThat(HexFormat.of().formatHex(digest)).as(sum.getKey()).isEqualTo(sum.getValue());
      }
    }
  }

  @Test
  void aPortInUseIsNamed() {
    assertThatThrownBy(() -> PageServer.start(root, page.port()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("port " + page.port() + " is in use: say another with --port, or 0 for any");
  }

  /** Nothing that served is left when the page is closed, events that go on included. */
  @Test
  void closingEndsAllThatServes() throws Exception {
    List<Thread> readers = new ArrayList<>();
    try (FileChannel channel =
            FileChannel.open(
                root.resolve("first/.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = channel.lock()) {
      for (int i = 0; i < 4; i++) {
        readers.add(
            Thread.ofVirtual()
                .start(() -> {
                  try {
                    HttpResponse<String> _ = get("/api/events?id=first&from=0");
                  } catch (IOException | InterruptedException _) {
                    // How it ends does not matter; that it ends does.
                  }
                }));
      }
      Thread.sleep(200);
      page.close();
      for (Thread reader : readers) {
        assertThat(reader.join(Duration.ofSeconds(10))).isTrue();
      }
    }
    try (Stream<Path> files = Files.list(root)) {
      assertThat(files).isNotEmpty();
    }
  }
}
