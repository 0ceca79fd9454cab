package dev.heddle.graph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is there while a store is written, and when that does not succeed. */
@Timeout(60)
class StoreDraftTest {
  @TempDir(factory = InMemoryDir.class)
  private Path folder;

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> String.valueOf(f.getFileName())).sorted().toList();
    }
  }

  @Test
  void nothingIsLeftOfADraftThatIsNotCommitted() throws IOException {
    try (StoreDraft draft = StoreDraft.begin(folder.resolve("store"), false);
        ArrayWriter writer = draft.vector("in.ids", ElementType.INT32)) {
      writer.writeInt(1);
      writer.finish();
      assertThat(names()).containsExactly(".store.lock", ".store.writing");
    }
    assertThat(names()).isEmpty();
  }

  @Test
  void theSecondWriterIsTurnedAway() throws IOException {
    Path path = folder.resolve("store");
    try (StoreDraft _ = StoreDraft.begin(path, false)) {
      assertThatThrownBy(() -> StoreTest.writeSmall(path))
          .isInstanceOf(GraphFormatException.class)
          .hasMessage(path + ": is being written by another process");
      assertThatThrownBy(() -> StoreTest.writeSmall(path)).hasMessageContaining("another process");
    }
    StoreTest.writeSmall(path);
    assertThat(names()).containsExactly("store");
  }

  @Test
  void whatIsThereStaysUnlessAskedFor() throws IOException {
    Path path = folder.resolve("store");
    StoreTest.writeSmall(path);
    assertThatThrownBy(() -> StoreDraft.begin(path, false))
        .hasMessage(path + ": is there already: --overwrite replaces it");
    Path other = Files.createDirectory(folder.resolve("other"));
    assertThatThrownBy(() -> StoreDraft.begin(other, true))
        .hasMessage(other + ": is there already and not a store");
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> StoreDraft.begin(file, true))
        .hasMessage(file + ": is there already and not a store");
    assertThatThrownBy(() -> StoreDraft.begin(file.resolve("store"), false))
        .hasMessage(file + ": no such folder");
    Store.open(path).verify();
  }

  @Test
  void whatADeadWriterLeftIsClearedAway() throws IOException {
    Path path = folder.resolve("store");
    Path stale = Files.createDirectory(folder.resolve(".store.writing"));
    Files.writeString(stale.resolve("in.ids"), "half");
    Files.writeString(folder.resolve(".store.lock"), "");
    StoreTest.writeSmall(path);
    assertThat(names()).containsExactly("store");
    // One that died between moving the old store away and the new one there.
    Files.move(path, folder.resolve(".store.replaced"));
    assertThatThrownBy(() -> StoreTest.writeSmall(path)).hasMessageContaining("--overwrite");
    Store.open(path).verify();
    assertThat(names()).containsExactly("store");
  }

  @Test
  void readersKeepTheStoreThatIsReplaced() {
    Path path = folder.resolve("store");
    StoreTest.writeSmall(path);
    try (Graph old = Graph.open(path)) {
      CommunityGraph settings = CommunityGraph.of(100).communities(2).classes(2);
      try (ThreadTeam team = ThreadTeam.of(1)) {
        settings.averageDegree(4).generate(team, path, true);
      }
      assertThat(old.in().id(2)).isEqualTo(0);
      assertThat(old.vertices()).isEqualTo(3);
    }
    try (Graph read = Graph.open(path)) {
      assertThat(read.vertices()).isEqualTo(100);
    }
  }

  @Test
  void aStoreSetAsideByAWriterThatDiedIsPutBackWhenItIsOpened() throws IOException {
    Path path = folder.resolve("store");
    Path aside = folder.resolve(".store.replaced");
    StoreTest.writeSmall(path);
    Files.move(path, aside);
    try (Graph read = Graph.open(path)) {
      assertThat(read.vertices()).isEqualTo(3);
    }
    assertThat(aside).doesNotExist();
    Store.open(path).verify();
  }

  @Test
  void aStoreSetAsideByAWriterThatLivesIsLeftToIt() throws IOException {
    Path path = folder.resolve("store");
    StoreTest.writeSmall(path);
    try (StoreDraft _ = StoreDraft.begin(path, true)) {
      Files.move(path, folder.resolve(".store.replaced"));
      assertThatThrownBy(() -> Graph.open(path))
          .hasMessage(path + ": is being written by another process");
    }
    Store.open(path).verify();
  }

  @Test
  void aFullDiskLeavesTheOldStore() throws IOException, InterruptedException {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(mount(disk, "size=600k"), "needs root to mount a small file system");
    try {
      Path path = disk.resolve("store");
      StoreTest.writeSmall(path);
      for (int width : new int[] {64, 0}) {
        CommunityGraph large = CommunityGraph.of(20_000).width(width);
        try (ThreadTeam team = ThreadTeam.of(2)) {
          assertThatThrownBy(() -> large.generate(team, path, true))
              .isInstanceOf(UncheckedIOException.class)
              .hasMessageEndingWith("No space left on device");
        }
        try (Stream<Path> left = Files.list(disk)) {
          assertThat(left).containsExactly(path);
        }
        Store.open(path).verify();
      }
    } finally {
      run("umount", disk.toString());
    }
  }

  @Test
  void aReadOnlyFolderIsNamed() throws IOException, InterruptedException {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(mount(disk, "ro"), "needs root to mount a read-only file system");
    try {
      Path path = disk.resolve("store");
      assertThatThrownBy(() -> StoreDraft.begin(path, false))
          .isInstanceOf(GraphFormatException.class)
          .hasMessage(path + ": cannot be written: Read-only file system");
    } finally {
      run("umount", disk.toString());
    }
  }

  private static boolean mount(Path at, String options) throws IOException, InterruptedException {
    return Files.isExecutable(Path.of("/bin/mount"))
        && run("mount", "-t", "tmpfs", "-o", options, "tmpfs", at.toString()) == 0;
  }

  private static int run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getInputStream().readAllBytes();
    return process.waitFor(20, TimeUnit.SECONDS) ? process.exitValue() : -1;
  }
}
