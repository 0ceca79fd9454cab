package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What queues between stages, and gradients that travel while workers go on, are worth (MQ-GNN,
 * arXiv 2601.04707): every {@link QueueVariant} with every graph, model and sampler, by four
 * workers that are processes on a slow link, and by one worker that reads its features from a store
 * on disk with less memory than that takes. The baselines are the same sampler without any overlap,
 * and with prefetching alone. Prints a Markdown table.
 *
 * <p>Options: {@code --graphs} (names of {@link HaloGraph}), {@code --models}, {@code --samplers},
 * {@code --workers} (lists with commas), {@code --link}, {@code --latency}, {@code --epochs},
 * {@code --batch}, {@code --fanout}, {@code --cache-bytes}, {@code --memory-cap} in megabytes for
 * one worker (0 for none; a cap needs root), {@code --work}, {@code --data}.
 */
final class QueueBench {
  private final Path folder = Path.of("").toAbsolutePath();
  private final Options options;

  private QueueBench(Options options) {
    this.options = options;
  }

  public static void main(String[] args) throws IOException {
    QueueBench bench = new QueueBench(Options.parse(args));
    System.out.println(
        "| graph | model | sampler | workers | variant | s/epoch | over sequential | over ahead |"
            + " computing % | features MB/epoch | gradients MB/epoch | queue | updates lacked |"
            + " test |");
    System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (String name : bench.list("graphs", "amazon-photo,wordnet,200k")) {
      HaloGraph graph = HaloGraph.prepare(bench.folder, name, bench.options);
      for (String model : bench.list("models", "sage,gcn")) {
        for (String sampler : bench.list("samplers", "neighbour,ladies")) {
          for (String workers : bench.list("workers", "1,4")) {
            bench.measure(graph, model, sampler, workers);
          }
        }
      }
    }
  }

  private List<String> list(String option, String otherwise) {
    return List.of(options.word(option, otherwise).split(",", -1));
  }

  private void measure(HaloGraph graph, String model, String sampler, String workers)
      throws IOException {
    boolean several = !workers.equals("1");
    boolean mapped = !several && graph.name().equals("200k");
    String cache = several || mapped ? options.word("cache-bytes", "32m") : "";
    double sequential = Double.NaN;
    double ahead = Double.NaN;
    for (QueueVariant variant : QueueVariant.all(cache, several)) {
      List<String> flags = flags(graph, model, sampler, workers, mapped);
      flags.addAll(variant.flags());
      HeddleRun run = run(flags, mapped);
      double took = run.epochSeconds();
      sequential = Double.isNaN(sequential) ? took : sequential;
      ahead = variant.name().equals("ahead") ? took : ahead;
      System.out.printf(
          Locale.ROOT,
          "| %s | %s | %s | %s | %s | %.3f | %.2f× | %.2f× | %.0f | %.2f | %.2f | %d | %.2f | %.1f |%n",
          graph.name(),
          model,
          sampler,
          workers + (several ? ", link" : mapped ? ", disk" : ""),
          variant.name(),
          took,
          sequential / took,
          ahead / took,
          100 * run.utilisation(),
          run.megabytes("feature", "featureRequest"),
          run.megabytes("gradient"),
          run.queueLength(),
          run.meanStaleness(),
          run.test());
    }
  }

  private HeddleRun run(List<String> flags, boolean mapped) throws IOException {
    long cap = mapped ? (long) options.number("memory-cap", 700) << 20 : 0;
    if (cap == 0) {
      return HeddleRun.training(folder, flags);
    }
    try (MemoryCap memory = MemoryCap.create()) {
      memory.limit(cap);
      return HeddleRun.training(folder, memory.prefix(), flags);
    }
  }

  private List<String> flags(
      HaloGraph graph, String model, String sampler, String workers, boolean mapped) {
    String epochs = options.word("epochs", "8");
    List<String> flags = new ArrayList<>(List.of("train", "--json"));
    flags.addAll(graph.flags());
    flags.addAll(List.of("--model", model, "--layers", "2", "--hidden", "128"));
    flags.addAll(List.of("--batch", options.word("batch", "1024"), "--sampler", sampler));
    flags.addAll(List.of("--fanout", options.word("fanout", "10,10")));
    flags.addAll(List.of("--workers", workers, "--epochs", epochs, "--evaluate-every", epochs));
    if (!workers.equals("1")) {
      flags.addAll(List.of("--processes", "--threads", workers));
      flags.addAll(List.of("--link", options.word("link", "100Mbit")));
      flags.addAll(List.of("--latency", options.word("latency", "0.2ms")));
    }
    if (mapped) {
      flags.addAll(List.of("--features", "mapped"));
    }
    return flags;
  }
}
