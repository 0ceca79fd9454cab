package dev.heddle.bench;

import dev.heddle.graph.NpyWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import tools.jackson.databind.JsonNode;

/**
 * Sampled GraphSAGE side by side with PyTorch Geometric: both processes stay up and take turns, a
 * few batches each.
 *
 * <p>Prints a Markdown table of seconds per batch. Options: {@code --python}, {@code --work},
 * {@code --rounds}, {@code --cells}, {@code --batches} (of a turn), {@code --warmup} (turns at
 * most), {@code --batch}, {@code --fanout}, {@code --hidden}, {@code --sampler}, {@code --ahead},
 * {@code --aggregated} (of Heddle). Where features are dense, Heddle runs a second time with them
 * rounded to bfloat16, in a row of its own.
 */
final class MiniBatchBench {
  private static final List<String> GRAPHS = List.of("wordnet", "2m-vertices");

  /** Epochs from one look at a peer's speed to the next. */
  private static final int WARM_EPOCHS = 5;

  /** A peer is warm when its epochs take more than this part of what they took before. */
  private static final double WARM = 0.95;

  private final Options options;
  private final PeerGraphs graphs;
  private final int batches;
  private final int batch;

  private MiniBatchBench(Options options) {
    this.options = options;
    graphs = new PeerGraphs(options);
    batches = options.number("batches", 10);
    batch = options.number("batch", 1024);
  }

  public static void main(String[] args) throws IOException {
    new MiniBatchBench(Options.parse(args)).run();
  }

  private void run() throws IOException {
    System.out.println(
        "| graph | system | ms/batch | sample | fetch | compute | M arcs/s sampled | MB | loss |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (String graph : GRAPHS) {
      if (graph.contains(options.word("cells", "")) && graphs.prepare(graph)) {
        writeSeeds(graphs.folder(graph));
        compare(graph);
      }
    }
  }

  /** Some of the training vertices, the same for both. */
  private void writeSeeds(Path folder) throws IOException {
    int[] train = PeerFolder.ints(folder.resolve("train.npy"));
    SplittableRandom random = new SplittableRandom(1);
    int count = Math.min(train.length, batches * batch);
    for (int i = 0; i < count; i++) {
      int j = random.nextInt(i, train.length);
      int swapped = train[i];
      train[i] = train[j];
      train[j] = swapped;
    }
    NpyWriter.write(folder.resolve(PeerFolder.SEEDS), Arrays.copyOf(train, count));
  }

  private void compare(String graph) throws IOException {
    compare(graph, "Heddle", arguments(graph));
    if (!graph.equals("wordnet")) {
      List<String> rounded = new ArrayList<>(arguments(graph));
      rounded.addAll(List.of("--half", "1"));
      compare(graph, "Heddle, features in bfloat16", rounded);
    }
  }

  private void compare(String graph, String name, List<String> arguments) throws IOException {
    try (Peer heddle = Peer.start(HeddlePeer.command(arguments));
        Peer pyg = Peer.start(pyg(graph))) {
      Turns ours = new Turns(name, heddle);
      Turns theirs = new Turns("PyG", pyg);
      if (heddle.failed() || pyg.failed()) {
        System.out.println(
            "| " + graph + " | " + heddle.greeting() + " | " + pyg.greeting() + " |");
        return;
      }
      warm(heddle);
      warm(pyg);
      for (int round = 0; round < options.number("rounds", 5); round++) {
        ours.take();
        theirs.take();
      }
      ours.print(graph);
      theirs.print(graph);
      System.out.printf(
          Locale.ROOT,
          "%n%s, %s: %.2f times as fast per batch, %.2f of the memory%n%n",
          graph,
          name,
          theirs.median() / ours.median(),
          ours.megabytes() / theirs.megabytes());
    }
  }

  /** Lets a peer work until it gets no faster: compilers of a JVM take many short batches. */
  private void warm(Peer peer) throws IOException {
    double before = Double.MAX_VALUE;
    for (int turn = 0; turn < options.number("warmup", 8); turn++) {
      double now = Medians.of(Medians.seconds(peer.ask("epochs " + WARM_EPOCHS)));
      if (now > WARM * before) {
        return;
      }
      before = now;
    }
  }

  /** What one of the two came to. */
  private final class Turns {
    private final String name;
    private final Peer peer;
    private final List<Double> seconds = new ArrayList<>();
    private double sample;
    private double fetch;
    private double compute;
    private long arcs;
    private JsonNode last;

    Turns(String name, Peer peer) {
      this.name = name;
      this.peer = peer;
      last = peer.greeting();
    }

    void take() throws IOException {
      last = peer.ask("epochs 1");
      seconds.addAll(Medians.seconds(last));
      JsonNode stages = last.get("stages");
      sample += stages.get("sample").asDouble();
      fetch += stages.get("fetch").asDouble();
      compute += stages.get("compute").asDouble();
      arcs += last.get("arcs").asLong();
    }

    double median() {
      return Medians.of(seconds) / batches;
    }

    double megabytes() {
      return last.get("rssPeakBytes").asLong() / 1e6;
    }

    void print(String graph) {
      double each = 1e3 / (seconds.size() * (double) batches);
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.0f | %.4f |%n",
          graph,
          name,
          1e3 * median(),
          each * sample,
          each * fetch,
          each * compute,
          arcs / sample / 1e6,
          megabytes(),
          last.get("loss").asDouble());
    }
  }

  private List<String> arguments(String graph) {
    List<String> arguments = new ArrayList<>(shared(graph));
    arguments.addAll(List.of("--model", "sage", "--layers", "3"));
    for (String name : List.of("sampler", "ahead", "aggregated")) {
      String value = options.word(name, "");
      if (!value.isEmpty()) {
        arguments.addAll(List.of("--" + name, value));
      }
    }
    return arguments;
  }

  private List<String> pyg(String graph) {
    List<String> command = new ArrayList<>();
    command.add(options.word("python", "python3"));
    command.add("bench/peers/pyg_sampled.py");
    command.addAll(shared(graph));
    command.addAll(
        List.of("--library", Path.of("bench/target/sample.so").toAbsolutePath().toString()));
    if (graph.equals("wordnet")) {
      command.add("--sparse-features");
    }
    return command;
  }

  private List<String> shared(String graph) {
    return List.of(
        "--graph",
        graphs.folder(graph).toString(),
        "--batch",
        Integer.toString(batch),
        "--fanout",
        options.word("fanout", "15,10,5"),
        "--hidden",
        options.word("hidden", "128"),
        "--threads",
        options.word("threads", "2"));
  }
}
