package dev.heddle.graph.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.Graph;
import dev.heddle.graph.store.Store;
import dev.heddle.graph.store.StoreWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Partitions in text files and in stores. */
class PartitionFileTest {
  @TempDir private Path folder;

  @Test
  void readsWhatItWrote() throws IOException {
    try (Graph graph = Shapes.undirected(4, Shapes.grid(2, 2))) {
      Partition partition = Partition.of(3, new int[] {2, 0, 1, 2});
      Path file = folder.resolve("parts");
      PartitionFile.write(partition, graph, file);
      assertThat(file).hasContent("2\n0\n1\n2\n");
      assertThat(PartitionFile.read(file, graph, 3)).isEqualTo(partition);
      assertThat(folder.toFile().list()).containsExactly("parts");
    }
  }

  @Test
  void namesWhatIsWrong() throws IOException {
    fails("0\n1\n0\n", "has only 3 lines; the graph has 4 vertices");
    fails("0\n1\n0\n1\n1\n", "has more lines; the graph has 4 vertices");
    fails("0\n1\n2\n1\n", "parts, line 3: part 2 is not below the 2 parts");
    fails("0\n-1\n2\n1\n", "parts, line 2: part -1 is not below the 2 parts");
    fails("0\nx\n2\n1\n", "parts, line 2: 'x' is no part");
    try (Graph graph = Shapes.undirected(4, Shapes.grid(2, 2))) {
      assertThatThrownBy(() -> PartitionFile.read(folder.resolve("none"), graph, 2))
          .hasMessageEndingWith("none: no such file");
    }
  }

  private void fails(String text, String message) throws IOException {
    Path file = Files.writeString(folder.resolve("parts"), text);
    try (Graph graph = Shapes.undirected(4, Shapes.grid(2, 2))) {
      assertThatThrownBy(() -> PartitionFile.read(file, graph, 2)).hasMessageEndingWith(message);
    }
  }

  @Test
  void storesKeepPartitionsByTheirNumber() throws IOException {
    Path path = folder.resolve("store");
    try (Graph graph = Shapes.undirected(4, Shapes.grid(2, 2))) {
      StoreWriter.write(graph, path, false);
    }
    Partition two = Partition.of(2, new int[] {0, 1, 1, 0});
    Partition three = Partition.of(3, new int[] {0, 1, 2, 0});
    Store.open(path).partitions().write(Partition.of(2, new int[] {1, 1, 1, 0}));
    Store.open(path).partitions().write(three);
    Store.open(path).partitions().write(two);
    Store store = Store.open(path);
    store.verify();
    assertThat(store.partitions().parts()).containsExactly(2, 3);
    assertThat(store.partitions().read(2)).isEqualTo(two);
    assertThat(store.partitions().read(3)).isEqualTo(three);
    assertThat(store.partitions().read(4)).isNull();
    // What a writer leaves that dies between its steps.
    Files.copy(path.resolve("partition.2"), path.resolve("partition.7"));
    Files.writeString(path.resolve(".partition.9.writing"), "torn");
    Store.open(path).verify();
    assertThatThrownBy(() -> store.partitions().write(Partition.of(1, new int[3])))
        .hasMessageContaining("does not fit a store of 4 vertices");
  }
}
