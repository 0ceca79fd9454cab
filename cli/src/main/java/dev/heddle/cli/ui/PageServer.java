package dev.heddle.cli.ui;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Serves the page of runs on loopback, a virtual thread for each request. Requests that name
 * another host are refused, since a foreign page could send its visitor here under a name of its
 * own; what changes a run needs the secret that the address printed at the start carries.
 */
public final class PageServer implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();
  private static final long PATIENCE_SECONDS = 2;
  private static final Set<String> HOSTS = Set.of("127.0.0.1", "localhost", "[::1]");

  private final RunCatalog catalog;
  private final @Nullable RunControl control;
  private final Assets assets = new Assets();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String secret;
  private final Phaser readers = new Phaser(1);
  private volatile boolean open = true;

  private PageServer(Path root, int port, @Nullable RunControl control) throws IOException {
    this.control = control;
    catalog = new RunCatalog(root, control == null ? null : control.folder());
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    secret = HexFormat.of().formatHex(random);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
  }

  /**
   * Serves the runs below a folder.
   *
   * @param port 0 for any that is free
   */
  public static PageServer start(Path root, int port) {
    return start(root, port, null);
  }

  /**
   * Serves the runs below a folder, one of which is of this process.
   *
   * @param port 0 for any that is free
   */
  public static PageServer start(Path root, int port, @Nullable RunControl control) {
    try {
      PageServer page = new PageServer(root, port, control);
      page.server.start();
      return page;
    } catch (BindException e) {
      throw new IllegalArgumentException(
          "port " + port + " is in use: say another with --port, or 0 for any", e);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "port " + port + " cannot be served: " + e.getMessage(), e);
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  String secret() {
    return secret;
  }

  /** Where the page is; for a run of this process, with its secret. */
  public String address() {
    String base = "http://127.0.0.1:" + port() + "/";
    if (control == null) {
      return base;
    }
    String id = catalog.root().relativize(control.folder().toAbsolutePath().normalize()).toString();
    return base + "#/run/" + id.replace('\\', '/') + "?secret=" + secret;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!isLocal(exchange.getRequestHeaders().getFirst("Host"))) {
        send(exchange, Reply.refused(403, "this page is for the machine that it runs on"));
        return;
      }
      URI uri = exchange.getRequestURI();
      String path = uri.getPath();
      Map<String, String> query = query(uri.getRawQuery());
      if (path.equals("/api/events")) {
        events(exchange, query);
        return;
      }
      send(exchange, reply(exchange, path, query));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a request's host is a name of this machine for itself. */
  private static boolean isLocal(@Nullable String host) {
    return host != null && HOSTS.contains(host.replaceFirst(":\\d+$", ""));
  }

  private Reply reply(HttpExchange exchange, String path, Map<String, String> query) {
    String method = exchange.getRequestMethod();
    try {
      if (path.equals("/api/stop")) {
        return method.equals("POST")
            ? stop(exchange.getRequestHeaders().getFirst("X-Heddle-Secret"), query)
            : Reply.refused(405, "stopping a run takes a POST");
      }
      if (!method.equals("GET")) {
        return Reply.refused(405, "there is nothing to " + method + " at " + path);
      }
      return switch (path) {
        case "/api/runs" -> runs();
        case "/api/run" -> run(query);
        case "/api/metrics" -> metrics(query);
        default -> {
          Reply asset = assets.at(path);
          yield asset != null ? asset : Reply.refused(404, "there is no " + path);
        }
      };
    } catch (IOException e) {
      return Reply.refused(500, "a file cannot be read: " + e.getMessage());
    }
  }

  private Reply runs() {
    RunCatalog.Listing listing = catalog.list();
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("root", catalog.root().toString());
    fields.put("found", listing.found());
    fields.put("problems", listing.problems());
    fields.put("runs", listing.runs().stream().map(PageServer::fields).toList());
    return Reply.json(fields);
  }

  private static Map<String, Object> fields(RunRow run) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", run.id());
    fields.put("state", run.state().toString());
    fields.put("values", run.values());
    return fields;
  }

  private Reply run(Map<String, String> query) throws IOException {
    Path folder = catalog.folder(query.getOrDefault("id", ""));
    if (folder == null) {
      return noRun(query);
    }
    Map<String, Object> fields = fields(catalog.run(folder));
    fields.put("summary", whole(folder.resolve(RunRow.SUMMARY)));
    fields.put("environment", whole(folder.resolve(RunRow.ENVIRONMENT)));
    fields.put("live", LiveWorkers.read(folder));
    fields.put("controlled", isOwn(folder));
    return Reply.json(fields);
  }

  private static @Nullable JsonNode whole(Path file) throws IOException {
    return Files.isRegularFile(file) ? JSON.readTree(Files.readString(file)) : null;
  }

  private static Reply noRun(Map<String, String> query) {
    return Reply.refused(404, "there is no run '" + query.getOrDefault("id", "") + "'");
  }

  private Reply metrics(Map<String, String> query) throws IOException {
    Path folder = catalog.folder(query.getOrDefault("id", ""));
    if (folder == null) {
      return noRun(query);
    }
    Metrics.Part part = Metrics.from(folder.resolve(RunRow.METRICS), from(query));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("next", part.next());
    fields.put("columns", part.columns());
    return Reply.json(fields);
  }

  private static long from(Map<String, String> query) {
    try {
      return Math.max(0, Long.parseLong(query.getOrDefault("from", "0")));
    } catch (NumberFormatException _) {
      return 0;
    }
  }

  private boolean isOwn(Path folder) {
    return control != null && folder.equals(control.folder().toAbsolutePath().normalize());
  }

  private Reply stop(@Nullable String said, Map<String, String> query) {
    Path folder = catalog.folder(query.getOrDefault("id", ""));
    if (folder == null) {
      return noRun(query);
    }
    if (control == null || !isOwn(folder)) {
      return Reply.refused(409, "this page only looks at that run: end it where it was started");
    }
    if (said == null
        || !MessageDigest.isEqual(
            said.getBytes(StandardCharsets.UTF_8), secret.getBytes(StandardCharsets.UTF_8))) {
      return Reply.refused(403, "needs the secret in the address that the run printed");
    }
    control.stop();
    return Reply.json(Map.of("stopping", true));
  }

  private void events(HttpExchange exchange, Map<String, String> query)
      throws IOException, InterruptedException {
    Path folder = catalog.folder(query.getOrDefault("id", ""));
    if (folder == null) {
      send(exchange, noRun(query));
      return;
    }
    headers(exchange, "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    readers.register();
    try (OutputStream out = exchange.getResponseBody()) {
      new RunEvents(catalog, folder, () -> open).write(out, from(query));
    } catch (IOException _) {
      // The reader has left: nothing to tell it.
    } finally {
      readers.arriveAndDeregister();
    }
  }

  private static void headers(HttpExchange exchange, String type) {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Cache-Control", "no-store");
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    // Charts size themselves by styles of elements; scripts come from here alone.
    headers.set(
        "Content-Security-Policy",
        "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'");
  }

  private static void send(HttpExchange exchange, Reply reply) throws IOException {
    headers(exchange, reply.type());
    byte[] bytes = reply.bytes();
    exchange.sendResponseHeaders(reply.status(), bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  private static Map<String, String> query(@Nullable String raw) {
    Map<String, String> query = new LinkedHashMap<>();
    if (raw != null) {
      for (String pair : List.of(raw.split("&"))) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
          query.put(pair.substring(0, equals), decoded(pair.substring(equals + 1)));
        }
      }
    }
    return query;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException _) {
      return text;
    }
  }

  /** Readers of this process's run are told how it ended; then nothing is served any more. */
  @Override
  public void close() {
    if (control != null) {
      catalog.ownHasEnded();
      tellReaders();
    }
    open = false;
    server.stop(0);
    threads.shutdownNow();
  }

  private void tellReaders() {
    try {
      int _ =
          readers.awaitAdvanceInterruptibly(readers.arrive(), PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException _) {
      // One of another run, or who does not read.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
