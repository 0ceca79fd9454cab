package dev.heddle.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One call of the {@code heddle} command and the JSON object that it ends with. */
record HeddleRun(JsonNode summary) {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration LONGEST = Duration.ofMinutes(30);

  /** Trains, and keeps nothing but the summary. */
  static HeddleRun training(Path folder, List<String> arguments) throws IOException {
    return training(folder, List.of(), arguments);
  }

  /** A training by a command that begins with some words. */
  static HeddleRun training(Path folder, List<String> prefix, List<String> arguments)
      throws IOException {
    Path out = Files.createTempDirectory("heddle-bench-");
    try {
      List<String> all = new ArrayList<>(arguments);
      all.addAll(List.of("--out", out.toString()));
      return of(folder, prefix, all);
    } finally {
      Folders.delete(out);
    }
  }

  /**
   * Runs {@code heddle}, and waits for it.
   *
   * @param folder where the repository lies
   * @param prefix what the command begins with
   */
  static HeddleRun of(Path folder, List<String> prefix, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(folder.resolve("heddle").toString());
    command.addAll(arguments);
    Path errors = Files.createTempFile("heddle-bench-", ".err");
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    Process process = builder.redirectError(errors.toFile()).start();
    String last = "";
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = line;
      }
      if (!process.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(
            "failed: "
                + String.join(" ", command)
                + System.lineSeparator()
                + Files.readString(errors));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted: " + String.join(" ", command), e);
    } finally {
      process.destroy();
      Files.delete(errors);
    }
    return new HeddleRun(last.isEmpty() ? JSON.createObjectNode() : JSON.readTree(last));
  }

  /** Runs {@code heddle} as it is. */
  static HeddleRun of(Path folder, List<String> arguments) throws IOException {
    return of(folder, List.of(), arguments);
  }

  /** Arcs of the graph. */
  long arcs() {
    return summary.get("graph").get("edges").asLong();
  }

  /** Seconds of a stage, all epochs together. */
  double stage(String name) {
    return summary.get("stageSeconds").get(name).asDouble();
  }

  int workers() {
    return summary.get("workers").asInt();
  }

  /** The median epoch. */
  double epochSeconds() {
    return summary.get("epochSeconds").get("median").asDouble();
  }

  /** The median epoch, with its share of choosing widths once in a period. */
  double epochSeconds(int period) {
    return epochSeconds() + chooseSeconds() / period;
  }

  /** What one choice of widths took. */
  private double chooseSeconds() {
    JsonNode exchange = summary.get("exchange");
    // The first epoch has widths that nobody chose.
    long choices =
        exchange.get("widths").valueStream().map(w -> w.get("epoch")).distinct().skip(1).count();
    return choices == 0 ? 0 : exchange.get("assignSeconds").asDouble() / workers() / choices;
  }

  /** Of a typical epoch, what a worker waited for rows of others and for sums of gradients. */
  double exposedSeconds() {
    return epoch("exposedSeconds") + epoch("sumSeconds");
  }

  /** Of these, for sums of gradients. */
  double sumSeconds() {
    return epoch("sumSeconds");
  }

  /** Packing and unpacking in a typical epoch. */
  double codingSeconds() {
    return epoch("codingSeconds");
  }

  /** Bytes of rows and of gradients of parameters in a typical epoch, all workers together. */
  double bytes() {
    return epoch("bytes") + sum("bytes", "gradient") / epochs();
  }

  /** What it took to find the parts of the graph. */
  double partitionSeconds() {
    return summary.get("partition").get("seconds").asDouble();
  }

  /** Batches that were loaded at once. */
  int macrobatch() {
    return summary.get("knobs").get("fetch").get("macrobatch").asInt();
  }

  /** A count of what batches got from other workers, in an epoch. */
  long fetched(String count) {
    return summary.get("fetched").get(count).asLong() / epochs();
  }

  /** A count of what there was to do for batches, in an epoch. */
  long batches(String count) {
    return summary.get("batches").get(count).asLong() / epochs();
  }

  /** The depth at which owners took over; none where workers divided seeds from the beginning. */
  String depth() {
    JsonNode depth = summary.get("depth");
    return depth == null || depth.isNull() ? "" : depth.get("layers").asString();
  }

  /** Messages that sample and fetch, in an epoch. */
  double fetchMessages() {
    return sum("messages", "sample", "sampleRequest", "feature", "featureRequest") / epochs();
  }

  /** What each section of a model costs that was cut by its layers, and where each stage begins. */
  JsonNode stages() {
    return summary.get("stages");
  }

  /** Of all workers' time in training loops, what they waited for others. */
  double starvedShare() {
    double starved =
        summary
            .get("workerSeconds")
            .valueStream()
            .mapToDouble(w -> w.get("threads").get(0).get("starved").asDouble())
            .sum();
    return starved / workers() / summary.get("trainSeconds").asDouble();
  }

  /** The epoch with the best validation score. */
  int bestEpoch() {
    return summary.get("bestEpoch").asInt();
  }

  /** Sent by all workers in an epoch, of some kinds of messages. */
  double megabytes(String... kinds) {
    return sum("bytes", kinds) / 1e6 / epochs();
  }

  private double sum(String figure, String... kinds) {
    JsonNode byKind = summary.get("sent").get("byKind");
    return Arrays.stream(kinds).mapToDouble(k -> byKind.get(k).get(figure).asDouble()).sum();
  }

  private int epochs() {
    return summary.get("epochs").asInt();
  }

  /** The part of epochs' time that training threads computed, in the mean over workers. */
  double utilisation() {
    return summary
        .get("workerSeconds")
        .valueStream()
        .mapToDouble(worker -> worker.get("utilisation").asDouble())
        .average()
        .orElse(0);
  }

  /** How long queues were in the end, in rounds of batches. */
  int queueLength() {
    return summary.get("queues").get("length").asInt();
  }

  /** Updates that a step's parameters lacked, in the mean. */
  double meanStaleness() {
    long steps = 0;
    long lacked = 0;
    JsonNode counts = summary.get("sync").get("staleness");
    for (int missing = 0; missing < counts.size(); missing++) {
      steps += counts.get(missing).asLong();
      lacked += missing * counts.get(missing).asLong();
    }
    return steps == 0 ? 0 : (double) lacked / steps;
  }

  /** The test score at the best validation epoch, in points. */
  double test() {
    return 100 * summary.get("test").asDouble();
  }

  private double epoch(String figure) {
    return summary.get("exchange").get("epoch").get(figure).asDouble();
  }
}
