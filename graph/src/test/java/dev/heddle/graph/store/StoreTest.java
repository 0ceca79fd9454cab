package dev.heddle.graph.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.FeaturePlace;
import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreTest {
  private final SplittableRandom random = RandomGraphs.seeded(this);

  @TempDir(factory = InMemoryDir.class)
  private Path folder;

  @Test
  void everyKindOfGraphComesBack() {
    RandomGraphs graphs = new RandomGraphs(random);
    Path path = folder.resolve("store");
    for (int i = 0; i < 100; i++) {
      try (Graph graph = graphs.next()) {
        StoreWriter.write(graph, path, true);
        Store store = Store.open(path);
        store.verify();
        for (FeaturePlace place : FeaturePlace.values()) {
          try (Graph read = Graph.open(path, ReadOptions.DEFAULT.withPlace(place))) {
            GraphAssert.same(read, graph);
          }
        }
      }
    }
  }

  @Test
  void writingWhatWasReadGivesTheSameBytes() throws IOException {
    RandomGraphs graphs = new RandomGraphs(random);
    Path first = folder.resolve("first");
    Path second = folder.resolve("second");
    for (int i = 0; i < 20; i++) {
      try (Graph graph = graphs.next()) {
        StoreWriter.write(graph, first, true);
      }
      try (Graph read = Graph.open(first)) {
        StoreWriter.write(read, second, true);
      }
      try (Stream<Path> files = Files.list(first)) {
        for (Path file : files.filter(f -> !f.endsWith(".checked")).toList()) {
          assertThat(second.resolve(file.getFileName())).hasSameBinaryContentAs(file);
        }
      }
    }
  }

  @Test
  void transposingBySmallRangesIsTransposing() {
    Path path = folder.resolve("store");
    for (long arcsAtOnce : new long[] {1, 2, 7, 1000}) {
      try (Graph graph = new RandomGraphs(random).next();
          StoreDraft draft = StoreDraft.begin(path, true)) {
        CsrArrays matrices = new CsrArrays(draft, graph.memory(), arcsAtOnce);
        matrices.write(Names.IN, graph.in());
        matrices.writeTransposed(Names.OUT, graph.in());
        draft.commit("ranges", false, null);
        Store.open(path).verify();
      }
    }
  }

  @Test
  void symmetricArcsAreStoredOnce() {
    Path path = folder.resolve("store");
    Memory memory = new Memory();
    Csr arcs = Csr.of(memory, 3, new int[][] {{1, 2}, {0}, {0}});
    try (Graph graph = Graph.builder(memory, "star", arcs).build()) {
      assertThat(graph.symmetric()).isFalse();
      StoreWriter.write(graph, path, false);
    }
    assertThat(path.resolve("out.ids")).doesNotExist();
    Store.open(path).verify();
    try (Graph read = Graph.open(path)) {
      assertThat(read.symmetric()).isTrue();
      assertThat(read.memory().bytes()).isZero();
      assertThat(read.memory().mappedBytes()).isPositive();
    }
  }

  @Test
  void mappedFeaturesAreReadInPlaceAndNormalisedOnesAreNot() {
    Path path = folder.resolve("store");
    writeSmall(path);
    try (Graph mapped = Graph.open(path);
        Graph copied = Graph.open(path, ReadOptions.DEFAULT.withPlace(FeaturePlace.MEMORY));
        Graph normal = Graph.open(path, ReadOptions.DEFAULT.withRowNormalise(true))) {
      assertThat(mapped.memory().bytes()).isZero();
      assertThat(copied.memory().bytes()).isPositive();
      Matrix x = ((DenseFeatures) requireNonNull(mapped.features())).matrix();
      assertThat(x.address(0) % 64).isZero();
      assertThat(x.data().isReadOnly()).isTrue();
      assertThat(((DenseFeatures) requireNonNull(normal.features())).matrix().toArray())
          .isDeepEqualTo(new float[][] {{0.25f, 0.75f}, {1, 0}, {0.5f, 0.5f}});
    }
  }

  @Test
  void aClosedGraphFailsCleanly() {
    Path path = folder.resolve("store");
    writeSmall(path);
    Graph graph = Graph.open(path);
    Csr in = graph.in();
    graph.close();
    assertThatThrownBy(() -> in.id(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(graph::split).isInstanceOf(IllegalStateException.class);
  }

  static void writeSmall(Path path) {
    Memory memory = new Memory();
    Csr arcs = Csr.of(memory, 3, new int[][] {{1}, {2}, {0}});
    try (Graph graph =
        Graph.builder(memory, "ring", arcs)
            .features(new DenseFeatures(Matrix.of(memory, new float[][] {{1, 3}, {2, 0}, {4, 4}})))
            .split(new Split(new int[] {0}, new int[] {1}, new int[] {2}))
            .build()) {
      StoreWriter.write(graph, path, false);
    }
  }
}
