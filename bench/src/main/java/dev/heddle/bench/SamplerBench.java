package dev.heddle.bench;

import dev.heddle.graph.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * What samplers learn, and what the cache of global neighbour sampling saves: the test score of
 * every {@link SamplerVariant} over some seeds, and bytes of features and rows fetched by two
 * workers. Figures do not depend on how busy the machine is, but for seconds, which are left out.
 * Prints a Markdown table for each graph.
 *
 * <p>Options: {@code --graphs} (a list with commas of {@code wordnet}, {@code communities} and
 * folders), {@code --models}, {@code --variants} (lists with commas), {@code --seeds}, {@code
 * --epochs}, {@code --batch}, {@code --fanout}, {@code --layer} (vertices of one), {@code
 * --cache-bytes}, {@code --vertices} (of the communities), {@code --work}.
 */
final class SamplerBench {
  private final Path folder = Path.of("").toAbsolutePath();
  private final Options options;
  private final List<SamplerVariant> variants;

  private SamplerBench(Options options) {
    this.options = options;
    List<String> wanted = List.of(options.word("variants", "").split(",", -1));
    variants =
        SamplerVariant.all(
                options.word("fanout", "10,10"),
                options.word("layer", "1024"),
                options.word("cache-bytes", "2m"))
            .stream()
            .filter(v -> wanted.getFirst().isEmpty() || wanted.contains(v.name()))
            .toList();
  }

  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    SamplerBench bench = new SamplerBench(options);
    for (String graph : options.word("graphs", "communities,wordnet").split(",", -1)) {
      bench.measure(graph);
    }
  }

  private void measure(String graph) throws IOException {
    String path = graph.equals("communities") ? generated().toString() : graph;
    System.out.println("\n" + Path.of(graph).getFileName() + ":\n");
    System.out.println(
        "| model | sampler | test | lowest | highest | features MB/epoch | rows fetched | cached |"
            + " kept for caches |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (String model : options.word("models", "sage,gcn").split(",", -1)) {
      for (SamplerVariant variant : variants) {
        line(path, model, variant);
      }
    }
  }

  private void line(String graph, String model, SamplerVariant variant) throws IOException {
    List<HeddleRun> runs = new ArrayList<>();
    for (int seed = 0; seed < Integer.parseInt(options.word("seeds", "3")); seed++) {
      try {
        runs.add(HeddleRun.training(folder, flags(graph, model, variant, seed)));
      } catch (IOException e) {
        // What does not go together is a cell that says so.
        System.out.printf("| %s | %s | refused |%n", model, variant.name());
        System.err.println(e.getMessage());
        return;
      }
    }
    double[] scores = runs.stream().mapToDouble(HeddleRun::test).sorted().toArray();
    HeddleRun first = runs.getFirst();
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %.2f | %.2f | %.2f | %.1f | %d | %d | %d |%n",
        model,
        variant.name(),
        IntStream.range(0, scores.length).mapToDouble(i -> scores[i]).average().orElseThrow(),
        scores[0],
        scores[scores.length - 1],
        first.megabytes("feature", "featureRequest"),
        first.fetched("rows"),
        first.fetched("rowsCached"),
        first.fetched("rowsKept"));
  }

  /** Vertices in communities, whose degrees follow a power law. */
  private Path generated() throws IOException {
    String vertices = options.word("vertices", "50000");
    Path work = Path.of(options.word("work", "target/bench")).toAbsolutePath();
    Path store = Files.createDirectories(work).resolve("samplers-" + vertices);
    if (!Store.isStore(store)) {
      List<String> flags =
          new ArrayList<>(List.of("generate", "--json", "--out", store.toString()));
      flags.addAll(List.of("--vertices", vertices, "--degree", "20", "--width", "64"));
      flags.addAll(List.of("--classes", "16", "--train", "0.3", "--valid", "0.2", "--seed", "1"));
      HeddleRun _ = HeddleRun.of(folder, flags);
    }
    return store;
  }

  private List<String> flags(String graph, String model, SamplerVariant variant, int seed) {
    String epochs = options.word("epochs", "20");
    List<String> flags = new ArrayList<>(List.of("train", "--json", "--graph", graph));
    flags.addAll(List.of("--workers", "2", "--threads", "2", "--topology", "replicated"));
    flags.addAll(List.of("--model", model, "--layers", "2", "--hidden", "128"));
    flags.addAll(List.of("--batch", options.word("batch", "1024"), "--macrobatch", "1"));
    flags.addAll(List.of("--epochs", epochs, "--seed", Integer.toString(seed)));
    flags.addAll(List.of("--evaluate-every", options.word("evaluate-every", "2")));
    flags.addAll(variant.flags());
    return flags;
  }
}
