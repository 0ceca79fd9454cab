package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What split parallelism is worth (GSplit, arXiv 2303.13775), in parts that can be run alone:
 *
 * <ul>
 *   <li>{@code balance}: {@link GsplitBalance}.
 *   <li>{@code speed}: every {@link GsplitVariant} with every model, on every graph and with narrow
 *       and wide hidden rows, four processes on links of one rate, the same global batch.
 *   <li>{@code kappa}: dependent batches: bytes of features in an epoch and scores over seeds.
 * </ul>
 *
 * <p>Options: {@code --part}, {@code --cells} (a word that a cell's name must have), {@code
 * --graphs}, {@code --balance-graphs}, {@code --models}, {@code --hiddens}, {@code --kappas},
 * {@code --seeds}, {@code --batch}, {@code --fanout}, {@code --epochs}, {@code --link}, {@code
 * --latency}, {@code --cache-bytes}, {@code --results}, {@code --data}, {@code --work}.
 */
final class GsplitBench {
  private static final String WORKERS = "4";
  private static final int LAYERS = 3;

  private final Path folder = Path.of("").toAbsolutePath();
  private final Options options;
  private final Path results;

  private GsplitBench(Options options) {
    this.options = options;
    results = Path.of(options.word("results", "bench/results"));
  }

  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    GsplitBench bench = new GsplitBench(options);
    String part = options.word("part", "all");
    if (part.equals("balance") || part.equals("all")) {
      new GsplitBalance(options, bench.results).run();
    }
    if (part.equals("speed") || part.equals("all")) {
      bench.speed();
    }
    if (part.equals("kappa") || part.equals("all")) {
      bench.kappa();
    }
  }

  private boolean wanted(String cell) {
    return cell.contains(options.word("cells", ""));
  }

  private void speed() throws IOException {
    CsvFile csv =
        CsvFile.create(
            results.resolve("gsplit-speed.csv"),
            "cell",
            "variant",
            "seed",
            "epoch s",
            "rows loaded",
            "rows computed",
            "rows shuffled",
            "feature MB",
            "halo MB",
            "sample MB",
            "test",
            "depth");
    int epochs = options.number("epochs", 4);
    for (String graph : options.word("graphs", "wordnet,coauthor-cs,200k").split(",", -1)) {
      HaloGraph place = HaloGraph.prepare(folder, graph, options);
      for (String model : options.word("models", "sage,gat").split(",", -1)) {
        for (String hidden : options.word("hiddens", "32,256").split(",", -1)) {
          String cell = graph + " " + model + " " + hidden;
          for (GsplitVariant variant :
              GsplitVariant.all(LAYERS, options.word("cache-bytes", "32m"))) {
            if (!wanted(cell + " " + variant.name()) || !fits(graph, model, variant)) {
              continue;
            }
            for (int seed = 0; seed < options.number("seeds", 1); seed++) {
              HeddleRun run =
                  HeddleRun.training(folder, flags(place, model, hidden, epochs, seed, variant));
              csv.add(
                  cell,
                  variant.name(),
                  seed,
                  run.epochSeconds(),
                  run.batches("rowsLoaded"),
                  run.batches("rowsComputed"),
                  run.batches("rowsShuffled"),
                  run.megabytes("feature", "featureRequest"),
                  run.megabytes("halo"),
                  run.megabytes("sample", "sampleRequest"),
                  run.test(),
                  run.depth());
            }
          }
        }
      }
    }
  }

  /** Rows of sparse features are not kept, nor summed beforehand. */
  private static boolean fits(String graph, String model, GsplitVariant variant) {
    boolean sparse = !graph.equals("200k");
    boolean keeps =
        variant.flags().contains("--cache-bytes") || variant.flags().contains("aggregated");
    return variant.fits(model) && !(sparse && keeps);
  }

  private List<String> flags(
      HaloGraph place, String model, String hidden, int epochs, int seed, GsplitVariant variant) {
    List<String> flags = new ArrayList<>(List.of("train", "--json", "--processes"));
    flags.addAll(place.flags());
    flags.addAll(List.of("--workers", WORKERS, "--threads", WORKERS));
    flags.addAll(List.of("--model", model, "--layers", "" + LAYERS, "--hidden", hidden));
    flags.addAll(List.of("--batch", options.word("batch", "1024")));
    flags.addAll(List.of("--fanout", options.word("fanout", "15,10,5")));
    flags.addAll(List.of("--link", options.word("link", "100Mbit")));
    flags.addAll(List.of("--latency", options.word("latency", "0.2ms")));
    flags.addAll(List.of("--epochs", "" + epochs, "--evaluate-every", "" + epochs));
    flags.addAll(List.of("--seed", "" + seed));
    flags.addAll(variant.flags());
    return flags;
  }

  private void kappa() throws IOException {
    CsvFile csv =
        CsvFile.create(
            results.resolve("gsplit-kappa.csv"),
            "cell",
            "kappa",
            "seed",
            "feature MB",
            "rows fetched",
            "rows loaded",
            "test");
    String epochs = options.word("epochs", "20");
    for (String graph : options.word("graphs", "wordnet,200k").split(",", -1)) {
      HaloGraph place = HaloGraph.prepare(folder, graph, options);
      for (String kappa : options.word("kappas", "1,4,16,64").split(",", -1)) {
        for (int seed = 0; seed < options.number("seeds", 3); seed++) {
          if (!wanted(graph + " kappa " + kappa)) {
            continue;
          }
          List<String> flags = new ArrayList<>(List.of("train", "--json"));
          flags.addAll(place.flags());
          flags.addAll(List.of("--model", "sage", "--layers", "2", "--hidden", "64"));
          flags.addAll(List.of("--workers", "2", "--split", "seeds", "--sampler", "labor"));
          flags.addAll(List.of("--batch", options.word("batch", "256"), "--kappa", kappa));
          flags.addAll(List.of("--fanout", options.word("fanout", "10,10")));
          // As many at once as share their draws: what they have in common travels once.
          flags.addAll(List.of("--macrobatch", options.word("macrobatch", "32")));
          flags.addAll(List.of("--batch-memory", "2g"));
          flags.addAll(List.of("--epochs", epochs, "--evaluate-every", "5", "--seed", "" + seed));
          HeddleRun run = HeddleRun.training(folder, flags);
          csv.add(
              graph,
              kappa,
              seed,
              run.megabytes("feature", "featureRequest"),
              run.fetched("rows"),
              run.batches("rowsLoaded"),
              run.test());
        }
      }
    }
  }
}
