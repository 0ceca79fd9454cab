package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.StringIds;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores whose files are not what was written. */
class StoreDamageTest {
  private final SplittableRandom random = RandomGraphs.seeded(this);

  @TempDir(factory = InMemoryDir.class)
  private Path folder;

  private Path path = Path.of("");

  /** A store with arrays of nearly every kind. */
  @BeforeEach
  void write() {
    path = folder.resolve("store");
    Memory memory = new Memory();
    Csr arcs = Csr.of(memory, 4, new int[][] {{1, 2}, {2}, {0}, {}});
    var weights = memory.allocateFloats(4);
    weights.setAtIndex(JAVA_FLOAT, 2, 0.5f);
    Csr words = Csr.of(memory, 3, new int[][] {{0, 2}, {1}, {}, {2}});
    try (Graph graph =
        Graph.builder(memory, "small", arcs.withWeights(weights))
            .features(SparseFeatures.of(memory, words.withWeights(weights)))
            .labels(ClassLabels.of(memory, new int[] {0, 1, 1, -1}, 2))
            .split(new Split(new int[] {0}, new int[] {1}, new int[] {2}))
            .ids(StringIds.of(memory, List.of("d", "b", "a", "c")))
            .build()) {
      StoreWriter.write(graph, path, false);
    }
    Store.open(path).verify();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(file -> !file.getFileName().toString().startsWith(".")).sorted().toList();
    }
  }

  @Test
  void everyByteFlippedIsNoticed() throws IOException {
    int flips = 0;
    for (Path file : files()) {
      byte[] bytes = Files.readAllBytes(file);
      for (int i = 0; i < bytes.length; i++) {
        byte good = bytes[i];
        bytes[i] ^= (byte) (1 + random.nextInt(255));
        Files.write(file, bytes);
        assertThatThrownBy(() -> Store.open(path).verify())
            .as("byte %d of %s", i, file)
            .isInstanceOf(GraphFormatException.class)
            .hasMessageStartingWith(path.toString())
            .message()
            .doesNotContain("\n");
        bytes[i] = good;
        flips++;
      }
      Files.write(file, bytes);
    }
    Store.open(path).verify();
    assertThat(flips).isGreaterThan(4000);
  }

  @Test
  void everyTruncationIsNoticedAtOnce() throws IOException {
    for (Path file : files()) {
      byte[] bytes = Files.readAllBytes(file);
      for (int length : new int[] {0, 1, 63, 64, 65, bytes.length - 1, bytes.length + 1}) {
        Files.write(file, Arrays.copyOf(bytes, length));
        assertThatThrownBy(() -> Graph.open(path).close())
            .as("%s of %d bytes", file, length)
            .isInstanceOf(GraphFormatException.class)
            .hasMessageContaining(String.valueOf(file.getFileName()));
      }
      Files.write(file, bytes);
    }
  }

  @Test
  void everyMissingFileIsNoticedAtOnce() throws IOException {
    for (Path file : files()) {
      if (file.endsWith(Manifest.FILE)) {
        continue;
      }
      byte[] bytes = Files.readAllBytes(file);
      Files.delete(file);
      opens(file, "no such file, but the manifest lists it");
      Files.createDirectory(file);
      opens(file, "a folder in place of a file");
      Files.delete(file);
      Files.write(file, bytes);
    }
    Path stray = Files.writeString(path.resolve("notes"), "mine");
    assertThatThrownBy(() -> Store.open(path).verify())
        .hasMessage(stray + ": not listed in the manifest");
  }

  private void opens(Path file, String fault) {
    assertThatThrownBy(() -> Graph.open(path).close())
        .isInstanceOf(GraphFormatException.class)
        .hasMessage(file + ": " + fault);
  }

  @Test
  void otherVersionsAndFormats() throws IOException {
    Path manifest = path.resolve(Manifest.FILE);
    String text = Files.readString(manifest);
    Files.writeString(manifest, text.replace("\"version\" : 1", "\"version\" : 3"));
    opens(manifest, "of version 3, newer than 2, which this heddle reads");
    Files.writeString(manifest, text.replace("heddle-graph-store", "other"));
    opens(manifest, "not the manifest of a store: \"format\" is not \"heddle-graph-store\"");
    Files.writeString(manifest, text.replace("\"small\"", "\"Small\""));
    opens(manifest, "damaged: its checksum does not match");
    Files.writeString(manifest, text.replace("\"version\" : 1", "\"version\" : \"1\""));
    opens(manifest, "\"version\" is not a whole number");
    Files.writeString(manifest, text.substring(0, 100));
    assertThatThrownBy(() -> Store.open(path)).hasMessageStartingWith(manifest + ": not JSON: ");
    Files.writeString(manifest, text);
    Store.open(path).verify();
  }

  @Test
  void foreignArrays() throws IOException {
    Path file = path.resolve("in.ids");
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    Files.write(file, new byte[bytes.length]);
    opens(file, "not an array of a store: it does not begin with HEDDLEAR");
    header.putInt(8, 3);
    Files.write(file, bytes);
    opens(file, "the checksum of its header does not match");
    seal(bytes);
    Files.write(file, bytes);
    opens(file, "of version 3, newer than 1, which this heddle reads");
    header.putInt(8, 1).putInt(56, 12345);
    seal(bytes);
    Files.write(file, bytes);
    opens(file, "its header does not agree with the manifest");
  }

  private static void seal(byte[] header) {
    CRC32 crc = new CRC32();
    crc.update(header, 0, 60);
    ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).putInt(60, (int) crc.getValue());
  }

  @Test
  void whatIsNotThere() throws IOException {
    assertThatThrownBy(() -> Store.open(folder.resolve("nowhere")))
        .hasMessageEndingWith("nowhere: no such folder");
    assertThatThrownBy(() -> Store.open(folder))
        .hasMessage(folder + ": not a store: it has no manifest.json");
    assertThatThrownBy(() -> Graph.open(path, ReadOptions.DEFAULT.withSplit(1)).close())
        .hasMessage(path + ": split 1 is not among the 1");
    Path manifest = path.resolve(Manifest.FILE);
    Files.delete(manifest);
    Files.createDirectory(manifest);
    assertThatThrownBy(() -> Store.open(path))
        .isInstanceOf(GraphFormatException.class)
        .hasMessage(manifest + ": cannot be read: Is a directory");
  }
}
