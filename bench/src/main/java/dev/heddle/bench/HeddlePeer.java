package dev.heddle.bench;

import dev.heddle.graph.FeaturePlace;
import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.Split;
import dev.heddle.graph.VertexOrder;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SamplerKind;
import dev.heddle.kernel.Gemm;
import dev.heddle.kernel.Kernels;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.Training;
import dev.heddle.train.pipeline.StageSeconds;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.TrainSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Training by Heddle, on the whole graph or in batches, driven over standard input as its peers
 * are: {@code epochs N} runs N epochs and answers with their seconds, {@code exit} ends.
 */
final class HeddlePeer {
  private final Training training;
  private int epoch;
  private long arcs;
  private StageSeconds stages;

  private HeddlePeer(Training training) {
    this.training = training;
    stages = training.stageSeconds();
  }

  /** How to start it, with the flags that the heddle command gives its JVM. */
  static List<String> command(List<String> arguments) {
    return command(List.of(PeerArchive.flag()), arguments);
  }

  /** The command with other flags in place of the one for the archive of classes. */
  static List<String> command(List<String> flags, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-Xms8m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=20",
            "-XX:-ShrinkHeapInSteps",
            "-XX:TrimNativeHeapInterval=1000",
            "-Xmx256m"));
    command.addAll(flags);
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), HeddlePeer.class.getName()));
    command.addAll(arguments);
    return command;
  }

  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    long start = System.nanoTime();
    try (Graph whole = load(options);
        Training training =
            Training.of(withSeeds(whole, options), spec(options), settings(options))) {
      HeddlePeer peer = new HeddlePeer(training);
      peer.epochs(1);
      answer(
          Map.of(
              "ready",
              true,
              "threads",
              options.number("threads", 2),
              "arcs",
              whole.arcs(),
              "parameters",
              training.model().parameters().count(),
              "form",
              Kernels.description() + ", " + Gemm.description(),
              "setUpSeconds",
              (System.nanoTime() - start) * 1e-9));
      peer.serve();
    }
  }

  /** From the store that {@link PeerGraphs} has made, or anew in another order. */
  private static Graph load(Options options) {
    Path folder = Path.of(options.word("graph", "."));
    String order = options.word("order", "auto");
    if (order.equals("auto")) {
      // Batches read features again and again; heddle train has them in memory, too.
      boolean mapped = options.number("batch", 0) == 0 || options.number("half", 0) == 1;
      FeaturePlace place = mapped ? FeaturePlace.MAPPED : FeaturePlace.MEMORY;
      return Graph.open(folder.resolve(PeerGraphs.STORE), ReadOptions.DEFAULT.withPlace(place));
    }
    Graph graph = PeerFolder.read(folder);
    if (order.equals("none")) {
      return graph;
    }
    try (graph) {
      return graph.reordered(VertexOrder.valueOf(order.toUpperCase(Locale.ROOT)));
    }
  }

  /**
   * Where there are batches, learns from the listed vertices only: an epoch is then a few batches.
   */
  private static Graph withSeeds(Graph graph, Options options) {
    if (options.number("batch", 0) == 0) {
      return graph;
    }
    int[] seeds = PeerFolder.ints(Path.of(options.word("graph", "."), PeerFolder.SEEDS));
    for (int i = 0; i < seeds.length; i++) {
      seeds[i] = graph.localIndex(seeds[i]);
    }
    Arrays.sort(seeds);
    return Graph.builder(graph.memory(), graph.name(), graph.in())
        .out(graph.out())
        .features(graph.features())
        .labels(graph.labels())
        .split(new Split(seeds, new int[0], new int[0]))
        .build();
  }

  private static @Nullable BatchSettings batches(Options options) {
    int size = options.number("batch", 0);
    if (size == 0) {
      return null;
    }
    List<Integer> fanouts =
        Arrays.stream(options.word("fanout", "15,10,5").split(",", -1))
            .map(Integer::valueOf)
            .toList();
    SamplerKind kind =
        SamplerKind.valueOf(options.word("sampler", "neighbour").toUpperCase(Locale.ROOT));
    return new BatchSettings(size, new SampleSettings(kind, fanouts, false, false));
  }

  private static ModelSpec spec(Options options) {
    ModelKind kind = ModelKind.valueOf(options.word("model", "gcn").toUpperCase(Locale.ROOT));
    return ModelSpec.of(kind)
        .layers(options.number("layers", 3))
        .hidden(options.number("hidden", 128))
        .heads(options.number("heads", 4))
        .dropout(0)
        .build();
  }

  private static TrainSettings settings(Options options) {
    return TrainSettings.builder()
        .threads(options.number("threads", 2))
        .learningRate(0.01f)
        .halfWidth(options.number("half", 0) == 1)
        .cacheConstants(options.number("cache", 1) == 1)
        .batches(batches(options))
        .knobs(
            Knobs.DEFAULT.withFetch(
                Fetch.DEFAULT
                    .withAhead(options.number("ahead", 0) == 1)
                    .withAggregatedInputs(options.number("aggregated", 0) == 1)))
        .build();
  }

  private void serve() throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      List<String> words = List.of(line.strip().split(" "));
      if (words.getFirst().equals("exit")) {
        return;
      }
      answer(epochs(Integer.parseInt(words.getLast())));
    }
  }

  private Map<String, Object> epochs(int count) throws IOException {
    List<Double> seconds = new ArrayList<>();
    double loss = Double.NaN;
    for (int i = 0; i < count; i++) {
      long start = System.nanoTime();
      loss = training.epoch(++epoch).loss();
      seconds.add((System.nanoTime() - start) * 1e-9);
    }
    StageSeconds before = stages;
    stages = training.stageSeconds();
    long arcsBefore = arcs;
    arcs = training.sampledArcs();
    return Map.of(
        "seconds",
        seconds,
        "loss",
        loss,
        "stages",
        Map.of(
            "sample",
            stages.sample() - before.sample(),
            "fetch",
            stages.fetch() - before.fetch(),
            "compute",
            stages.compute() + stages.update() - before.compute() - before.update()),
        "arcs",
        arcs - arcsBefore,
        "rssPeakBytes",
        resident("VmHWM:"),
        "rssBytes",
        resident("VmRSS:"));
  }

  private static long resident(String field) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith(field))
        .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElse(0);
  }

  private static void answer(Map<String, Object> message) {
    System.out.println(json(message));
  }

  /** By hand: training needs no JSON library, whose classes were 9 MB of what is measured here. */
  private static String json(Object value) {
    return switch (value) {
      case Map<?, ?> map ->
          map.entrySet().stream()
              .map(entry -> json(entry.getKey()) + ":" + json(entry.getValue()))
              .collect(Collectors.joining(",", "{", "}"));
      case List<?> list ->
          list.stream().map(HeddlePeer::json).collect(Collectors.joining(",", "[", "]"));
      case String word -> '"' + word + '"';
      default -> value.toString();
    };
  }
}
