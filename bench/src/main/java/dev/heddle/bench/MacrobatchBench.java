package dev.heddle.bench;

import dev.heddle.graph.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What fetching for many batches at once is worth (BatchGNN, Gupta et al. 2024): every {@link
 * MacrobatchVariant} with every model, four workers that are processes with one thread each, on
 * links of one rate. The first variant asks for every batch by itself, as DistDGL does. Prints a
 * Markdown table.
 *
 * <p>Options: {@code --models}, {@code --variants} (lists with commas), {@code --link}, {@code
 * --latency}, {@code --epochs}, {@code --fanout}, {@code --batch}, {@code --cache-bytes}, {@code
 * --vertices}, {@code --work}.
 */
final class MacrobatchBench {
  private static final String WORKERS = "4";

  /** Of an epoch: rounds of 16 and of 4 are all full. */
  private static final int BATCHES = 32;

  private final Path folder = Path.of("").toAbsolutePath();
  private final Options options;
  private final Path graph;
  private final List<MacrobatchVariant> variants;
  private final Map<String, List<Double>> faster = new LinkedHashMap<>();
  private final List<Double> best = new ArrayList<>();

  private MacrobatchBench(Options options) throws IOException {
    this.options = options;
    List<String> wanted = List.of(options.word("variants", "").split(",", -1));
    variants =
        MacrobatchVariant.all(options.word("cache-bytes", "32m")).stream()
            .filter(v -> wanted.getFirst().isEmpty() || wanted.contains(v.name()))
            .toList();
    graph = generated();
  }

  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    MacrobatchBench bench = new MacrobatchBench(options);
    System.out.println(
        "| model | variant | partition s | s/epoch | over one by one | batches at once | messages/epoch |"
            + " features MB | arcs MB | gradients MB | rows fetched | cached | test |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (String model : options.word("models", "sage,gcn,gat").split(",", -1)) {
      bench.measure(model);
    }
    bench.means();
  }

  /** Vertices in communities with hubs: large enough for batches that differ. */
  private Path generated() throws IOException {
    String vertices = options.word("vertices", "500000");
    Path work = Path.of(options.word("work", "target/bench")).toAbsolutePath();
    int seeds = BATCHES * Integer.parseInt(options.word("batch", "1024"));
    Path store = Files.createDirectories(work).resolve("batches-" + vertices + "-" + seeds);
    if (!Store.isStore(store)) {
      List<String> flags =
          new ArrayList<>(List.of("generate", "--json", "--out", store.toString()));
      flags.addAll(List.of("--vertices", vertices, "--degree", "15", "--width", "128"));
      String train = Double.toString((double) seeds / Integer.parseInt(vertices));
      flags.addAll(List.of("--classes", "40", "--train", train, "--valid", "0.1", "--seed", "1"));
      HeddleRun _ = HeddleRun.of(folder, flags);
    }
    return store;
  }

  private void measure(String model) throws IOException {
    double first = Double.NaN;
    double most = 1;
    for (MacrobatchVariant variant : variants) {
      if (!variant.fits(model)) {
        continue;
      }
      HeddleRun run = HeddleRun.training(folder, flags(model, variant));
      double took = run.epochSeconds();
      if (Double.isNaN(first)) {
        first = took;
      }
      faster.computeIfAbsent(variant.name(), _ -> new ArrayList<>()).add(first / took);
      most = Math.max(most, first / took);
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %.2f | %.2f | %.2f× | %d | %.0f | %.1f | %.1f | %.1f | %d | %d | %.2f |%n",
          model,
          variant.name(),
          run.partitionSeconds(),
          took,
          first / took,
          run.macrobatch(),
          run.fetchMessages(),
          run.megabytes("feature", "featureRequest"),
          run.megabytes("sample", "sampleRequest"),
          run.megabytes("gradient"),
          run.fetched("rows"),
          run.fetched("rowsCached"),
          run.test());
    }
    best.add(most);
  }

  private List<String> flags(String model, MacrobatchVariant variant) {
    String epochs = options.word("epochs", "3");
    List<String> flags = new ArrayList<>(List.of("train", "--json", "--processes"));
    flags.addAll(List.of("--graph", graph.toString(), "--workers", WORKERS, "--threads", WORKERS));
    flags.addAll(List.of("--model", model, "--layers", "3", "--hidden", "128"));
    flags.addAll(List.of("--batch", options.word("batch", "1024")));
    flags.addAll(List.of("--fanout", options.word("fanout", "15,10,5")));
    flags.addAll(List.of("--link", options.word("link", "50Mbit")));
    flags.addAll(List.of("--latency", options.word("latency", "0.2ms")));
    flags.addAll(List.of("--epochs", epochs, "--evaluate-every", epochs));
    flags.addAll(variant.flags());
    return flags;
  }

  /** Attention has no aggregated inputs: the last line alone compares all models at their best. */
  private void means() {
    System.out.println();
    System.out.println("| variant | models | geometric mean over one by one |");
    System.out.println("|---|---|---|");
    faster.forEach(MacrobatchBench::mean);
    mean("best of each model", best);
  }

  private static void mean(String name, List<Double> ratios) {
    double logs = ratios.stream().mapToDouble(Math::log).average().orElse(Double.NaN);
    System.out.printf(Locale.ROOT, "| %s | %d | %.2f× |%n", name, ratios.size(), Math.exp(logs));
  }
}
