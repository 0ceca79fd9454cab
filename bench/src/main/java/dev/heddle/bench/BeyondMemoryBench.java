package dev.heddle.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What a seed costs where a graph exceeds memory: epochs of GraphSAGE in batches, four processes
 * that read a generated store where it lies and have, together and with the page cache, a fifth of
 * its bytes. The other store is an eighth of it, with as many seeds for a vertex; its share is
 * larger, because what processes themselves need, some 1.3 GB, does not shrink with a store. Both
 * are deleted. Seconds are of the median epoch: four JVMs compile for some five seconds, which are
 * little of an epoch over the larger store and much of one over the smaller. What is read from the
 * disk counts from the start of the command to its end, and is divided by the epochs. Prints a
 * Markdown table.
 *
 * <p>Options: {@code --vertices} of the larger store, {@code --every}, one of how many vertices is
 * a seed, {@code --epochs}, {@code --share} and {@code --small-share} of the stores that memory is
 * limited to, in percent, {@code --work}.
 */
final class BeyondMemoryBench {
  private static final String WORKERS = "4";

  private final Path folder = Path.of("").toAbsolutePath();
  private final Options options;
  private final Path work;
  private final MemoryCap cap;
  private final int epochs;

  private BeyondMemoryBench(Options options, MemoryCap cap) throws IOException {
    this.options = options;
    this.cap = cap;
    epochs = options.number("epochs", 3);
    work = Files.createDirectories(Path.of(options.word("work", "target/bench")).toAbsolutePath());
  }

  public static void main(String[] args) throws IOException {
    try (MemoryCap cap = MemoryCap.create()) {
      BeyondMemoryBench bench = new BeyondMemoryBench(Options.parse(args), cap);
      System.out.println(
          "| vertices | arcs | store GB | limit GB | most used GB | batches at once | s/epoch | seeds"
              + " | ms/seed | KB sent/seed | rows fetched/seed | KB read/seed | sample s | fetch s"
              + " | compute s |");
      System.out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
      int vertices = bench.options.number("vertices", 36_000_000);
      bench.measure(vertices / 8, bench.options.number("small-share", 36));
      bench.measure(vertices, bench.options.number("share", 20));
    }
  }

  private void measure(int vertices, int percent) throws IOException {
    Path store = work.resolve("beyond-" + vertices);
    int seeds = vertices / options.number("every", 256);
    try {
      generate(store, vertices, (double) seeds / vertices);
      long bytes = bytes(store);
      forget(store);
      long limit = bytes * percent / 100;
      cap.limit(limit);
      DiskReads disk = DiskReads.from(store);
      HeddleRun run = HeddleRun.training(folder, cap.prefix(), flags(store));
      long read = disk.bytes();
      double took = run.epochSeconds();
      System.out.printf(
          Locale.ROOT,
          "| %d | %d | %.2f | %.2f | %.2f | %d | %.1f | %d | %.3f | %.2f | %.1f | %.1f | %.1f | %.1f | %.1f |%n",
          vertices,
          run.arcs(),
          bytes / 1e9,
          limit / 1e9,
          cap.peak() / 1e9,
          run.macrobatch(),
          took,
          seeds,
          1e3 * took / seeds,
          1e3 * run.megabytes("feature", "featureRequest", "sample", "sampleRequest") / seeds,
          (double) run.fetched("rows") / seeds,
          1e-3 * read / seeds / epochs,
          run.stage("sample") / epochs,
          run.stage("fetch") / epochs,
          run.stage("compute") / epochs);
    } finally {
      Folders.delete(store);
    }
  }

  private void generate(Path store, int vertices, double train) throws IOException {
    List<String> flags = new ArrayList<>(List.of("generate", "--json", "--out", store.toString()));
    flags.addAll(List.of("--vertices", "" + vertices, "--degree", "15", "--width", "256"));
    flags.addAll(List.of("--classes", "40", "--in-order", "--seed", "1", "--valid", "0.0001"));
    flags.addAll(List.of("--train", String.format(Locale.ROOT, "%.9f", train)));
    HeddleRun _ = HeddleRun.of(folder, flags);
  }

  private List<String> flags(Path store) {
    List<String> flags = new ArrayList<>(List.of("train", "--json", "--processes"));
    flags.addAll(List.of("--graph", store.toString(), "--features", "mapped"));
    flags.addAll(List.of("--workers", WORKERS, "--threads", WORKERS, "--partition", "range"));
    flags.addAll(List.of("--model", "sage", "--layers", "2", "--hidden", "128"));
    flags.addAll(List.of("--batch", "1024", "--fanout", "10,10", "--macrobatch", "4"));
    flags.addAll(List.of("--epochs", "" + epochs, "--evaluate-every", "0"));
    return flags;
  }

  private static long bytes(Path store) throws IOException {
    try (Stream<Path> files = Files.walk(store)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Pages that others have read would not be counted: the processes have to read all of theirs. */
  private static void forget(Path store) throws IOException {
    try (Stream<Path> files = Files.walk(store)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        try (FileChannel written = FileChannel.open(file, StandardOpenOption.WRITE)) {
          written.force(true);
        }
        Process dd =
            new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none")
                .start();
        try {
          if (!dd.waitFor(1, TimeUnit.MINUTES)) {
            dd.destroyForcibly();
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted", e);
        }
      }
    }
  }
}
