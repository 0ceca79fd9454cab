package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What each part of AdaQP (Wan et al., 2023) is worth on a slow network, and that it costs no
 * accuracy: every {@link HaloVariant} on every graph and model, four workers that are processes,
 * one thread each. Prints Markdown tables: {@link HaloTimes} and {@link HaloScores}.
 *
 * <p>Options: {@code --graphs}, {@code --models}, {@code --variants} (lists with commas), {@code
 * --skip-times yes}, {@code --skip-accuracy yes}, {@code --latency}, and those of the tables.
 */
final class HaloBench {
  private HaloBench() {}

  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    List<HaloVariant> variants = HaloVariant.named(options.word("variants", ""));
    List<HaloCell> cells = cells(options);
    if (!options.word("skip-times", "no").equals("yes")) {
      new HaloTimes(variants, options).print(cells);
    }
    if (!options.word("skip-accuracy", "no").equals("yes")) {
      new HaloScores(variants, options).print(cells);
    }
  }

  private static List<HaloCell> cells(Options options) throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    List<HaloCell> cells = new ArrayList<>();
    for (String name : options.word("graphs", HaloGraph.NAMES).split(",", -1)) {
      HaloGraph graph = HaloGraph.prepare(folder, name, options);
      for (String model : options.word("models", "gcn,sage").split(",", -1)) {
        cells.add(new HaloCell(folder, graph, model, options));
      }
    }
    return cells;
  }
}
