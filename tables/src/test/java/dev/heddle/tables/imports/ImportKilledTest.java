package dev.heddle.tables.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.store.Store;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed while it imports leaves no store, or all of one. */
class ImportKilledTest {
  private static final int ROWS = 3000;

  @TempDir private Path folder;

  /** What the killed process runs: imports the tables of a folder, over and over. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      System.out.println("begun");
      while (true) {
        read(Path.of(args[0]), Path.of(args[1]));
        System.out.println("done");
      }
    }
  }

  private static void read(Path folder, Path out) {
    ImportSettings settings =
        new ImportSettings(
            TableSettings.of(folder.resolve("nodes.csv").toString()),
            TableSettings.of(folder.resolve("edges.csv").toString()),
            ImportSettings.NodeColumns.GUESSED,
            ImportSettings.EdgeColumns.GUESSED,
            ImportSettings.FeatureSettings.GUESSED,
            ImportSettings.SplitSettings.USUAL,
            ImportSettings.EdgeRules.USUAL);
    PrintWriter log =
        new PrintWriter(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    Path work = out.resolveSibling("." + out.getFileName() + ".tables");
    try (TableImport tables = TableImport.open(settings, work, 200L << 20, log);
        Memory memory = new Memory()) {
      assertThat(tables.write(out, true, memory).lines()).isNotEmpty();
    }
  }

  @Test
  @Timeout(120)
  void afterAKillTheStoreIsWholeOrAbsent() throws IOException, InterruptedException {
    killSome(2);
  }

  @Test
  @Tag("slow")
  @Timeout(900)
  void afterTwentyKillsToo() throws IOException, InterruptedException {
    killSome(20);
  }

  private void killSome(int times) throws IOException, InterruptedException {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println("heddle.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    tables();
    Path expected = folder.resolve("expected");
    read(folder, expected);
    Path path = folder.resolve("store");
    long first = firstImport(path);
    int whole = 0;
    for (int i = 0; i < times; i++) {
      if (Files.exists(path) && random.nextBoolean()) {
        // As if nothing had been there, so that kills of the first writing are seen too.
        Files.move(path, folder.resolve("aside" + i));
      }
      Process child = start(path);
      // Anywhere from before the first store is there to the replacing of a later one.
      assertThat(child.getInputStream().read()).isEqualTo('b');
      Thread.sleep(random.nextLong(i % 2 == 0 ? first : 2 * first));
      assertThat(child.isAlive()).isTrue();
      child.destroyForcibly();
      assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
      if (Store.isStore(path)) {
        whole++;
        Store.open(path).verify();
        same(path, expected);
      }
    }
    System.out.println(whole + " of " + times + " kills found a store in place");
    read(folder, path);
    same(path, expected);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(f -> String.valueOf(f.getFileName())))
          .filteredOn(name -> !name.startsWith("aside"))
          .containsExactlyInAnyOrder("nodes.csv", "edges.csv", "expected", "store");
    }
  }

  /** Milliseconds that a process takes for its first import, on this machine as busy as it is. */
  private long firstImport(Path path) throws IOException, InterruptedException {
    Process child = start(path);
    assertThat(child.getInputStream().read()).isEqualTo('b');
    long begin = System.nanoTime();
    int letter = child.getInputStream().read();
    while (letter != 'd' || child.getInputStream().read() != 'o') {
      assertThat(letter).isNotNegative();
      letter = child.getInputStream().read();
    }
    child.destroyForcibly();
    assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
    return Math.max(1, (System.nanoTime() - begin) / 1_000_000);
  }

  private void tables() throws IOException {
    StringBuilder nodes = new StringBuilder("id,x,colour,label\n");
    StringBuilder edges = new StringBuilder("src,dst\n");
    for (int i = 0; i < ROWS; i++) {
      nodes.append(
          "v%d,%d,%s,%d\n".formatted(i, i * 7919 % 101, i % 3 == 0 ? "red" : "blue", i % 2));
      edges.append("v%d,v%d\n".formatted(i, i * 31 % ROWS));
    }
    Files.writeString(folder.resolve("nodes.csv"), nodes);
    Files.writeString(folder.resolve("edges.csv"), edges);
  }

  private static void same(Path store, Path expected) throws IOException {
    try (Stream<Path> files = Files.list(expected)) {
      for (Path file : files.toList()) {
        assertThat(store.resolve(file.getFileName())).hasSameBinaryContentAs(file);
      }
    }
  }

  private Process start(Path path) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            folder.toString(),
            path.toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
