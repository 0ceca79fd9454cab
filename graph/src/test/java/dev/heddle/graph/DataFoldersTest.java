package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.kernel.Csr;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Published counts of real graphs, where these are at hand. */
class DataFoldersTest {
  private static Path folder(String name) {
    String given = System.getenv("HEDDLE_DATA");
    Path data =
        given != null
            ? Path.of(given)
            : Path.of(System.getProperty("heddle.root", "."), "../shared/data");
    Path folder = data.resolve(name).normalize();
    assumeTrue(
        Files.isDirectory(folder),
        () -> "skipped: no graph at " + folder + "; HEDDLE_DATA says where graphs are");
    return folder;
  }

  @ParameterizedTest
  @CsvSource({
    "cora, 2708, 5278, 0, 1433, 7, 140, 500, 1000",
    "citeseer, 3327, 4552, 124, 3703, 6, 120, 500, 1000",
    "amazon-photo, 7650, 119081, 1, 745, 8, 160, 240, 7250",
    "coauthor-cs, 18333, 81894, 0, 6805, 15, 300, 450, 17583",
    "squirrel, 5201, 198353, 0, 2089, 5, 2496, 1664, 1041",
    "tolokers, 11758, 519000, 0, 10, 2, 5879, 2939, 2940",
    "npm-deps, 304031, 2330240, 317, 0, 0, 0, 0, 0",
  })
  void countsAreThePublishedOnes(
      String name,
      int vertices,
      long edges,
      long loops,
      int width,
      int classes,
      int train,
      int valid,
      int test) {
    try (Graph graph = Graph.open(folder(name))) {
      assertThat(graph.vertices()).isEqualTo(vertices);
      assertThat(loops(graph.in())).isEqualTo(loops);
      assertThat(graph.arcs()).isEqualTo(2 * edges + loops);
      assertThat(graph.classes()).isEqualTo(classes);
      if (width > 0) {
        assertThat(requireNonNull(graph.features()).width()).isEqualTo(width);
        Split split = requireNonNull(graph.split());
        assertThat(split.train()).hasSize(train);
        assertThat(split.valid()).hasSize(valid);
        assertThat(split.test()).hasSize(test);
      } else {
        assertThat(graph.features()).isNull();
        assertThat(graph.split()).isNull();
      }
    }
  }

  private static long loops(Csr in) {
    long loops = 0;
    for (int row = 0; row < in.rows(); row++) {
      loops += SelfLoops.loops(in, row);
    }
    return loops;
  }

  @Test
  void splitsDiffer() {
    Path folder = folder("tolokers");
    try (Graph first = Graph.open(folder);
        Graph last = Graph.open(folder, ReadOptions.DEFAULT.withSplit(9))) {
      assertThat(requireNonNull(last.split()).train())
          .hasSize(5879)
          .isNotEqualTo(requireNonNull(first.split()).train());
    }
  }
}
