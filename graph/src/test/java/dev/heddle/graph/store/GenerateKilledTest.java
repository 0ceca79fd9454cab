package dev.heddle.graph.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed while it generates leaves no store, or all of one. */
class GenerateKilledTest {
  private final SplittableRandom random = RandomGraphs.seeded(this);

  @TempDir(factory = InMemoryDir.class)
  private Path folder;

  /** What the killed process runs: makes the store of a seed, over and over. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      System.out.println("begun");
      try (ThreadTeam team = ThreadTeam.of(2)) {
        while (true) {
          settings().generate(team, Path.of(args[0]), true);
        }
      }
    }
  }

  private static CommunityGraph settings() {
    return CommunityGraph.of(5000).width(4).seed(7);
  }

  @Test
  @Timeout(60)
  void afterAKillTheStoreIsWholeOrAbsent() throws IOException, InterruptedException {
    killSome(4);
  }

  @Test
  @Tag("slow")
  @Timeout(600)
  void afterThirtyKillsToo() throws IOException, InterruptedException {
    killSome(30);
  }

  private void killSome(int times) throws IOException, InterruptedException {
    Path expected = folder.resolve("expected");
    try (ThreadTeam team = ThreadTeam.of(1)) {
      settings().generate(team, expected, false);
    }
    Path path = folder.resolve("store");
    int whole = 0;
    for (int i = 0; i < times; i++) {
      if (Files.exists(path) && random.nextBoolean()) {
        // As if nothing had been there, so that kills of the first writing are seen too.
        Files.move(path, folder.resolve("aside" + i));
      }
      Process child = start(path);
      // Anywhere from before the first store is there to the replacing of a later one.
      assertThat(child.getInputStream().read()).isEqualTo('b');
      Thread.sleep(random.nextInt(i % 2 == 0 ? 300 : 1500));
      assertThat(child.isAlive()).isTrue();
      child.destroyForcibly();
      assertThat(child.waitFor(20, TimeUnit.SECONDS)).isTrue();
      if (Files.exists(path)) {
        whole++;
        Store.open(path).verify();
        same(path, expected);
      }
    }
    System.out.println(whole + " of " + times + " kills found a store in place");
    try (ThreadTeam team = ThreadTeam.of(1)) {
      settings().generate(team, path, true);
    }
    same(path, expected);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files.map(f -> String.valueOf(f.getFileName())))
          .filteredOn(name -> !name.startsWith("aside"))
          .containsExactlyInAnyOrder("expected", "store");
    }
  }

  private static void same(Path store, Path expected) throws IOException {
    try (Stream<Path> files = Files.list(expected)) {
      for (Path file : files.toList()) {
        assertThat(store.resolve(file.getFileName())).hasSameBinaryContentAs(file);
      }
    }
  }

  private static Process start(Path path) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            path.toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }
}
