package dev.heddle.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What predicting every vertex of a store costs that exceeds memory: {@code heddle predict} in a
 * fifth of the store's bytes, the page cache included, aggregations going through their sources in
 * order against such as fetch every row where it lies. Vertices of the generated store are in no
 * order, so that a row's neighbours are anywhere. Both must write the same bytes. Prints a Markdown
 * table; what was generated is deleted.
 *
 * <p>Options: {@code --vertices} and {@code --width} of the store, {@code --share} of its bytes
 * that memory is limited to, in percent, {@code --model}, {@code --patience} in minutes for each
 * prediction, {@code --work}.
 */
final class PredictBench {
  private final Path folder = Path.of("").toAbsolutePath();
  private final Options options;
  private final Path work;
  private final MemoryCap cap;

  private PredictBench(Options options, MemoryCap cap) throws IOException {
    this.options = options;
    this.cap = cap;
    work = Files.createDirectories(Path.of(options.word("work", "target/bench")).toAbsolutePath());
  }

  public static void main(String[] args) throws IOException {
    try (MemoryCap cap = MemoryCap.create()) {
      new PredictBench(Options.parse(args), cap).measure();
    }
  }

  private void measure() throws IOException {
    Path store = work.resolve("predict-store");
    Path run = work.resolve("predict-run");
    int vertices = options.number("vertices", 18_000_000);
    try {
      HeddleRun _ = HeddleRun.of(folder, generate(store, vertices));
      HeddleRun _ = HeddleRun.of(folder, train(store, run));
      long bytes = bytes(store);
      long limit = bytes * options.number("share", 20) / 100;
      System.out.println(
          "| sources are | vertices | store GB | limit GB | most used GB | s | GB read | bits |");
      System.out.println("|---|---|---|---|---|---|---|---|");
      for (boolean gathers : new boolean[] {false, true}) {
        Path out = work.resolve("predict-out-" + (gathers ? "gathered" : "in-order") + ".npy");
        try {
          forget(store);
          cap.limit(limit);
          DiskReads disk = DiskReads.from(store);
          long begun = System.nanoTime();
          boolean ended = predict(run, out, limit, gathers);
          System.out.printf(
              Locale.ROOT,
              "| %s | %d | %.2f | %.2f | %.2f | %s%.1f | %.2f | %s |%n",
              gathers ? "gathered" : "gone through",
              vertices,
              bytes / 1e9,
              limit / 1e9,
              cap.peak() / 1e9,
              ended ? "" : "> ",
              (System.nanoTime() - begun) / 1e9,
              disk.bytes() / 1e9,
              ended ? digest(out) : "not ended");
        } finally {
          Files.deleteIfExists(out);
        }
      }
    } finally {
      Folders.delete(store);
      Folders.delete(run);
    }
  }

  private List<String> generate(Path store, int vertices) {
    List<String> flags = new ArrayList<>(List.of("generate", "--json", "--out", store.toString()));
    flags.addAll(List.of("--vertices", "" + vertices, "--degree", "15", "--classes", "40"));
    flags.addAll(List.of("--width", "" + options.number("width", 256), "--seed", "1"));
    flags.addAll(List.of("--train", "0.0005", "--valid", "0.0001"));
    return flags;
  }

  private List<String> train(Path store, Path run) {
    List<String> flags = new ArrayList<>(List.of("train", "--json", "--graph", store.toString()));
    flags.addAll(List.of("--features", "mapped", "--out", run.toString(), "--epochs", "1"));
    flags.addAll(List.of("--model", options.word("model", "sage"), "--layers", "2"));
    flags.addAll(List.of("--hidden", "128", "--batch", "1024", "--fanout", "5,5"));
    flags.addAll(List.of("--evaluate-every", "0"));
    return flags;
  }

  /** Whether it ended in time. */
  private boolean predict(Path run, Path out, long limit, boolean gathers) throws IOException {
    List<String> command = new ArrayList<>(cap.prefix());
    command.addAll(List.of(folder.resolve("heddle").toString(), "predict", run.toString()));
    // The JVM needs some besides, and pages of files that are read and written have the rest.
    command.addAll(List.of("--out", out.toString(), "--memory", "" + limit / 8 * 5));
    if (gathers) {
      command.add("--gathers");
    }
    Path printed = Files.createTempFile("heddle-bench-", ".out");
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("HEDDLE_JAVA_OPTS", "-XX:+UseSerialGC -Xmx" + heap(limit) + "m");
    builder.redirectErrorStream(true).redirectOutput(printed.toFile());
    Process process = builder.start();
    try {
      if (!process.waitFor(options.number("patience", 120), TimeUnit.MINUTES)) {
        return false;
      }
      if (process.exitValue() != 0) {
        throw new IOException("predict failed: " + Files.readString(printed));
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
      Files.delete(printed);
    }
  }

  /** Megabytes: a few bytes for every vertex are on the heap. */
  private static long heap(long limit) {
    return Math.max(48, (limit / 8) >> 20);
  }

  private static String digest(Path file) throws IOException {
    try (DigestInputStream in =
        new DigestInputStream(Files.newInputStream(file), MessageDigest.getInstance("SHA-256"))) {
      long _ = in.transferTo(OutputStream.nullOutputStream());
      return HexFormat.of().formatHex(in.getMessageDigest().digest(), 0, 4);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long bytes(Path store) throws IOException {
    try (Stream<Path> files = Files.walk(store)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Pages that others have read would not be counted: the process has to read all of its own. */
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
