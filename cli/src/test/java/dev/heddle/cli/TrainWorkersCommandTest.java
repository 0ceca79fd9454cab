package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command with several workers: that they train as one does, and what it says of them. */
class TrainWorkersCommandTest {
  @TempDir private Path folder;

  private String graph = "";
  private String run = "";

  @BeforeEach
  void writeGraph() throws IOException {
    graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    run = folder.resolve("run").toString();
  }

  private static JsonNode json(String text) {
    return new JsonMapper().readTree(text);
  }

  @Test
  void workersTrainAsOneAndSayWhatTheySent() {
    String[] alone = {"train", "--graph", graph, "--epochs", "8", "--json"};
    JsonNode one = json(Ran.heddle(with(alone, "--out", run)).lastLine());
    String second = folder.resolve("second").toString();
    Ran ran = Ran.heddle(with(alone, "--out", second, "--workers", "3"));
    assertThat(ran.exit()).as(ran.err()).isZero();
    JsonNode three = json(ran.lastLine());
    assertThat(three.get("workers").asInt()).isEqualTo(3);
    assertThat(three.get("knobs").get("split").asString()).isEqualTo("graph");
    assertThat(three.get("loss").asDouble())
        .isCloseTo(one.get("loss").asDouble(), withinPercentage(0.1));
    JsonNode sent = three.get("sent").get("byKind");
    assertThat(sent.get("halo").get("bytes").asLong()).isPositive();
    assertThat(sent.get("gradient").get("messages").asLong()).isPositive();
    assertThat(one.get("sent").get("bytes").asLong()).isZero();
    assertThat(Ran.heddle("evaluate", second).exit()).isZero();
  }

  /** However many batches are loaded at once. */
  @Test
  void workersShareBatches() {
    String[] alone = {
      "train", "--graph", graph, "--epochs", "6", "--batch", "5", "--fanout", "3,2", "--json"
    };
    JsonNode one = json(Ran.heddle(with(alone, "--out", run)).lastLine());
    List<Long> messages = new ArrayList<>();
    for (int macrobatch : new int[] {1, 2}) {
      String out = folder.resolve("of" + macrobatch).toString();
      String count = Integer.toString(macrobatch);
      Ran ran =
          Ran.heddle(with(alone, "--out", out, "--workers", "3", "--ahead", "--macrobatch", count));
      assertThat(ran.exit()).as(ran.err()).isZero();
      JsonNode three = json(ran.lastLine());
      assertThat(three.get("knobs").get("split").asString()).isEqualTo("seeds");
      assertThat(three.get("knobs").get("fetch").get("macrobatch").asInt()).isEqualTo(macrobatch);
      assertThat(three.get("loss").asDouble())
          .isCloseTo(one.get("loss").asDouble(), withinPercentage(0.1));
      assertThat(three.get("fetched").get("deduplication").asDouble()).isGreaterThanOrEqualTo(1);
      messages.add(three.get("sent").get("byKind").get("sampleRequest").get("messages").asLong());
    }
    assertThat(messages.get(1)).isPositive().isLessThan(messages.get(0));
  }

  /** Where arcs are and what is kept of others is told, and what was chosen by itself. */
  @Test
  void saysWhereBatchesGetThings() {
    JsonNode auto = fetched("auto", "--topology", "auto", "--cache-bytes", "2k");
    JsonNode fetch = auto.get("knobs").get("fetch");
    assertThat(fetch.get("topology").asString()).isEqualTo("replicated");
    assertThat(fetch.get("cache").asString()).isEqualTo("hot");
    assertThat(fetch.get("cacheBytes").asLong()).isEqualTo(2048);
    assertThat(fetch.get("cacheRank").asString()).isEqualTo("presampled");
    assertThat(sampleRequests(auto)).isZero();
    JsonNode parts = fetched("parts", "--cache", "aggregated", "--topology", "partitioned");
    fetch = parts.get("knobs").get("fetch");
    assertThat(fetch.get("topology").asString()).isEqualTo("partitioned");
    assertThat(fetch.get("cache").asString()).isEqualTo("aggregated");
    assertThat(fetch.get("cacheBytes").asLong()).isZero();
    assertThat(fetch.get("cacheRank").asString()).isEqualTo("none");
    assertThat(sampleRequests(parts)).isPositive();
    JsonNode both = fetched("both", "--cache", "hot,aggregated", "--cache-bytes", "2k");
    assertThat(both.get("knobs").get("fetch").get("cache").asString()).isEqualTo("hot,aggregated");
    JsonNode drawn = fetched("drawn", "--cache", "gns");
    fetch = drawn.get("knobs").get("fetch");
    assertThat(fetch.get("cache").asString()).isEqualTo("gns");
    assertThat(fetch.get("cacheRank").asString()).isEqualTo("degree");
    assertThat(drawn.get("fetched").get("rowsKept").isIntegralNumber()).isTrue();
  }

  private JsonNode fetched(String name, String... more) {
    String out = folder.resolve(name).toString();
    String[] common = {
      "train",
      "--graph",
      graph,
      "--out",
      out,
      "--epochs",
      "2",
      "--batch",
      "5",
      "--workers",
      "2",
      "--fanout",
      "3,2",
      "--json"
    };
    Ran ran = Ran.heddle(with(common, more));
    assertThat(ran.exit()).as(ran.err()).isZero();
    return json(ran.lastLine());
  }

  private static long sampleRequests(JsonNode summary) {
    return summary.get("sent").get("byKind").get("sampleRequest").get("messages").asLong();
  }

  /** A number of batches that is too much for the memory is cut, and a line says so. */
  @Test
  void saysWhenMemoryLimitsBatches() {
    String[] common = {
      "train",
      "--graph",
      graph,
      "--out",
      run,
      "--epochs",
      "1",
      "--batch",
      "2",
      "--workers",
      "2",
      "--fanout",
      "2,2"
    };
    Ran ran = Ran.heddle(with(common, "--macrobatch", "2", "--batch-memory", "1k"));
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.err()).containsOnlyOnce("heddle: batches are loaded one by one, and even that");
  }

  @Test
  void saysHowRowsTravelled() {
    Ran ran =
        Ran.heddle(
            "train",
            "--graph",
            graph,
            "--epochs",
            "5",
            "--out",
            run,
            "--workers",
            "2",
            "--codec",
            "adaptive",
            "--partition",
            "random",
            "--codec-period",
            "2",
            "--overlap",
            "on",
            "--pre-aggregate",
            "on",
            "--json");
    assertThat(ran.exit()).as(ran.err()).isZero();
    JsonNode summary = json(ran.lastLine());
    assertThat(summary.get("knobs").get("preAggregate").asString()).isEqualTo("on");
    assertThat(summary.get("knobs").get("codec").asString()).isEqualTo("adaptive");
    assertThat(summary.get("knobs").get("overlap").asString()).isEqualTo("on");
    JsonNode exchange = summary.get("exchange");
    assertThat(exchange.get("travelSeconds").asDouble()).isPositive();
    assertThat(exchange.get("hiddenFraction").asDouble()).isBetween(0.0, 1.0);
    assertThat(exchange.get("codingSeconds").asDouble()).isPositive();
    assertThat(exchange.get("assignSeconds").asDouble()).isPositive();
    JsonNode epoch = exchange.get("epoch");
    assertThat(epoch.get("bytes").asLong()).isPositive();
    assertThat(epoch.get("travelSeconds").asDouble())
        .isGreaterThanOrEqualTo(epoch.get("exposedSeconds").asDouble());
    assertThat(epoch.get("sumSeconds").asDouble()).isPositive();
    JsonNode rows = exchange.get("rows");
    assertThat(rows.get("sent").asLong()).isBetween(1L, rows.get("oneByOne").asLong() - 1);
    assertThat(ran.out()).contains("halo     " + rows.get("sent") + " rows travel");
    // Chosen after the first epoch and then every other.
    assertThat(widthEpochs(exchange)).containsExactly(1, 2, 3, 5);
    assertWidthsOfAllRows(exchange, "bits8");
  }

  /** Where nothing is chosen, rows have their one width from the first epoch on. */
  @Test
  void saysAtWhatWidthRowsTravelled() {
    String[] common = {
      "train",
      "--graph",
      graph,
      "--epochs",
      "3",
      "--workers",
      "2",
      "--partition",
      "random",
      "--json"
    };
    for (String codec : List.of("fp32", "bits2", "bits4", "bits8")) {
      String out = folder.resolve(codec).toString();
      Ran ran = Ran.heddle(with(common, "--codec", codec, "--out", out));
      assertThat(ran.exit()).as(ran.err()).isZero();
      JsonNode exchange = json(ran.lastLine()).get("exchange");
      if (codec.equals("fp32")) {
        assertThat(exchange.get("widths").size()).isZero();
      } else {
        assertThat(widthEpochs(exchange)).containsExactly(1);
        assertWidthsOfAllRows(exchange, codec);
      }
    }
  }

  private static List<Integer> widthEpochs(JsonNode exchange) {
    return exchange
        .get("widths")
        .valueStream()
        .map(w -> w.get("epoch").asInt())
        .distinct()
        .toList();
  }

  /**
   * Every entry counts all rows that travel at a time, for the same layers each time, there and
   * back; those of the first epoch have one width.
   */
  private static void assertWidthsOfAllRows(JsonNode exchange, String first) {
    long rows = exchange.get("rows").get("sent").asLong();
    Map<Integer, List<String>> flows = new TreeMap<>();
    for (JsonNode width : exchange.get("widths")) {
      int epoch = width.get("epoch").asInt();
      long all = 0;
      for (String bits : List.of("bits2", "bits4", "bits8")) {
        all += width.get(bits).asLong();
      }
      assertThat(all).as("%s", width).isPositive().isEqualTo(rows);
      if (epoch == 1) {
        assertThat(width.get(first).asLong()).as("%s", width).isEqualTo(rows);
      }
      flows
          .computeIfAbsent(epoch, _ -> new ArrayList<>())
          .add(width.get("value").asInt() + " " + width.get("direction").asString());
    }
    // The features of the first layer travel once, as they are.
    assertThat(flows.values()).allMatch(List.of("1 there", "1 back")::equals);
  }

  @Test
  void workersGoOnToTheSameBits() throws IOException {
    String[] all = {"train", "--graph", graph, "--workers", "2", "--checkpoint-every", "3"};
    assertThat(Ran.heddle(with(all, "--out", run, "--epochs", "12")).exit()).isZero();
    Path cut = folder.resolve("cut");
    Ran half = Ran.heddle(with(all, "--out", cut.toString(), "--epochs", "6"));
    assertThat(half.exit()).as(half.err()).isZero();
    Ran resumed = Ran.heddle("train", "--resume", cut.toString(), "--epochs", "12");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(cut.resolve("model.safetensors"))
        .hasSameBinaryContentAs(Path.of(run).resolve("model.safetensors"));
  }

  /** Threads and processes come to the same bits. */
  @Test
  void workersMayBeProcesses() throws IOException, InterruptedException {
    String[] all = {"train", "--graph", graph, "--epochs", "5", "--workers", "2", "--threads", "2"};
    assertThat(Ran.heddle(with(all, "--out", run)).exit()).isZero();
    Path apart = folder.resolve("apart");
    Child child =
        Child.start(folder.resolve("printed"), with(all, "--out", apart.toString(), "--processes"));
    assertThat(child.await()).as(child.printed()).isZero();
    assertThat(apart.resolve("model.safetensors"))
        .hasSameBinaryContentAs(Path.of(run).resolve("model.safetensors"));
  }

  /**
   * Processes train like threads in batches that they share, loaded ahead, also when a run is
   * resumed.
   */
  @Test
  void workersThatShareBatchesMayBeProcesses() throws IOException, InterruptedException {
    String[] all = {
      "train",
      "--graph",
      graph,
      "--batch",
      "5",
      "--fanout",
      "3,2",
      "--workers",
      "2",
      "--threads",
      "2",
      "--ahead"
    };
    assertThat(Ran.heddle(with(all, "--out", run, "--epochs", "6")).exit()).isZero();
    Path apart = folder.resolve("apart");
    Child child =
        Child.start(
            folder.resolve("printed"),
            with(all, "--out", apart.toString(), "--epochs", "4", "--processes"));
    assertThat(child.await()).as(child.printed()).isZero();
    Ran resumed =
        Ran.heddle("train", "--resume", apart.toString(), "--epochs", "6", "--no-processes");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(apart.resolve("model.safetensors"))
        .hasSameBinaryContentAs(Path.of(run).resolve("model.safetensors"));
  }

  /** Workers that compute every batch together, each the vertices that samples gave it. */
  @Test
  void workersComputeBatchesTogether() {
    String[] alone = {
      "train", "--graph", graph, "--epochs", "6", "--batch", "5", "--fanout", "3,2", "--json"
    };
    JsonNode one = json(Ran.heddle(with(alone, "--out", run)).lastLine());
    String second = folder.resolve("second").toString();
    Ran ran = Ran.heddle(with(alone, "--out", second, "--workers", "3", "--preset", "gsplit"));
    assertThat(ran.exit()).as(ran.err()).isZero();
    JsonNode three = json(ran.lastLine());
    assertThat(three.get("knobs").get("split").asString()).isEqualTo("batch");
    assertThat(three.get("knobs").get("preset").asString()).isEqualTo("gsplit");
    assertThat(three.get("partition").get("method").asString()).isEqualTo("presampled");
    assertThat(three.get("loss").asDouble())
        .isCloseTo(one.get("loss").asDouble(), withinPercentage(0.1));
    JsonNode sent = three.get("sent").get("byKind");
    assertThat(sent.get("halo").get("bytes").asLong()).isPositive();
    assertThat(sent.get("feature").get("bytes").asLong()).isZero();
    assertThat(Ran.heddle("evaluate", second).exit()).isZero();
  }

  /** Processes compute batches together like threads, also when a run is resumed. */
  @Test
  void workersThatComputeBatchesTogetherMayBeProcesses() throws IOException, InterruptedException {
    String store = folder.resolve("rings.store").toString();
    assertThat(Ran.heddle("import", "--graph", graph, "--out", store).exit()).isZero();
    String[] all = {
      "train",
      "--graph",
      store,
      "--batch",
      "5",
      "--fanout",
      "3,2",
      "--workers",
      "2",
      "--threads",
      "2",
      "--ahead",
      "--split",
      "batch",
      "--presample",
      "2"
    };
    assertThat(Ran.heddle(with(all, "--out", run, "--epochs", "6")).exit()).isZero();
    assertThat(Path.of(store + ".owners")).isNotEmptyDirectory();
    Path apart = folder.resolve("apart");
    Child child =
        Child.start(
            folder.resolve("printed"),
            with(all, "--out", apart.toString(), "--epochs", "4", "--processes"));
    assertThat(child.await()).as(child.printed()).isZero();
    assertThat(child.printed()).contains("2 parts (store");
    Ran resumed =
        Ran.heddle("train", "--resume", apart.toString(), "--epochs", "6", "--no-processes");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(apart.resolve("model.safetensors"))
        .hasSameBinaryContentAs(Path.of(run).resolve("model.safetensors"));
  }

  /** A depth that was chosen is told, kept with the run, and not chosen again. */
  @Test
  void choosesTheDepthOnce() throws IOException {
    String[] all = {
      "train",
      "--graph",
      graph,
      "--batch",
      "5",
      "--fanout",
      "3,2",
      "--workers",
      "2",
      "--preset",
      "gsplit",
      "--depth",
      "auto",
      "--json"
    };
    Ran first = Ran.heddle(with(all, "--out", run, "--epochs", "2"));
    assertThat(first.exit()).as(first.err()).isZero();
    assertThat(first.err()).contains("(auto)").contains("next is depth");
    JsonNode depth = json(first.lastLine()).get("depth");
    int layers = depth.get("layers").asInt();
    assertThat(depth.get("asked").asString()).isEqualTo("auto");
    assertThat(depth.get("predicted")).hasSize(3);
    for (JsonNode predicted : depth.get("predicted")) {
      assertThat(predicted.get("stepSeconds").asDouble()).isPositive();
      assertThat(predicted.get("rowsLoaded").asLong()).isPositive();
    }
    String split = layers == 2 ? "seeds" : "batch";
    assertThat(json(first.lastLine()).get("knobs").get("split").asString()).isEqualTo(split);
    assertThat(Files.readString(Path.of(run).resolve("run.yaml")))
        .contains("depth: 'auto=" + layers + "'")
        .contains("split: " + split);
    Ran resumed = Ran.heddle("train", "--resume", run, "--epochs", "4", "--json");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    JsonNode kept = json(resumed.lastLine()).get("depth");
    assertThat(kept.get("asked").asString()).isEqualTo("auto");
    assertThat(kept.get("layers").asInt()).isEqualTo(layers);
    assertThat(kept.get("predicted")).isEmpty();
    // As if the depth had been said, and nothing had happened between.
    String said = folder.resolve("said").toString();
    String[] fixed = all.clone();
    fixed[fixed.length - 2] = Integer.toString(layers == 2 ? 0 : layers);
    Ran undisturbed =
        layers == 2
            ? Ran.heddle(with(fixed, "--out", said, "--epochs", "4", "--split", "seeds"))
            : Ran.heddle(with(fixed, "--out", said, "--epochs", "4"));
    assertThat(undisturbed.exit()).as(undisturbed.err()).isZero();
    if (layers < 2) {
      assertThat(Path.of(run).resolve("model.safetensors"))
          .hasSameBinaryContentAs(Path.of(said).resolve("model.safetensors"));
    }
  }
}
