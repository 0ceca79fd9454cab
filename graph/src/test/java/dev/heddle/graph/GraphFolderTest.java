package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.ArcTable.Arc;
import dev.heddle.kernel.Csr;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GraphFolderTest {
  @TempDir Path path = Path.of("");

  private FolderFixture folder() throws IOException {
    return new FolderFixture(path);
  }

  private static Arc arc(int source, int destination) {
    return new Arc(source, destination, 1);
  }

  @Test
  void arcsGoBothWaysByDefaultAndLoopsStay() throws IOException {
    folder();
    try (Graph graph = Graph.open(path)) {
      assertThat(graph.vertices()).isEqualTo(5);
      assertThat(graph.name()).isEqualTo(path.toFile().getName());
      assertThat(graph.in().weights()).isNull();
      assertThat(ArcTable.of(graph.in()))
          .containsExactly(
              arc(1, 0), arc(2, 0), arc(0, 1), arc(2, 1), arc(0, 2), arc(1, 2), arc(3, 3),
              arc(4, 3), arc(3, 4));
    }
  }

  @Test
  void arcsMayBeTakenAsTheyAre() throws IOException {
    folder().edges("src,dst\n0,1\n0,1\n1,2");
    try (Graph graph = Graph.open(path, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(ArcTable.of(graph.in())).containsExactly(arc(0, 1), arc(0, 1), arc(1, 2));
    }
  }

  @Test
  void columnsAreFoundByNameAndLinesMayEndAnyWay() throws IOException {
    String remark = "a remark that goes on ".repeat(5);
    folder()
        .delete("edges.csv.gz")
        .text(
            "edges.csv",
            "\uFEFFetype,dst,note,src,weight\r\nknows,1,"
                + remark
                + ",0,0.5\r\n\r\n7,2,,1,2\n,1,,0,1e-1");
    try (Graph graph = Graph.open(path, ReadOptions.DEFAULT.withDirected(true))) {
      assertThat(ArcTable.of(graph.in()))
          .containsExactly(new Arc(0, 1, 0.5f), new Arc(0, 1, 0.1f), new Arc(1, 2, 2));
    }
  }

  @Test
  void aByteOrderMarkBeforeTheFirstColumnIsPassedOver() throws IOException {
    folder().edges("\uFEFFsrc,dst\n4,0\n");
    try (Graph graph = Graph.open(path)) {
      assertThat(ArcTable.of(graph.in())).containsExactly(arc(4, 0), arc(0, 4));
    }
  }

  @Test
  void featuresLabelsAndSplitAreThere() throws IOException {
    folder();
    try (Graph graph = Graph.open(path)) {
      assertThat(dense(graph))
          .isDeepEqualTo(new float[][] {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}});
      ClassLabels labels = (ClassLabels) requireNonNull(graph.labels());
      assertThat(graph.classes()).isEqualTo(3);
      assertThat(labels.at(2)).isEqualTo(2);
      assertThat(labels.at(3)).isEqualTo(ClassLabels.NONE);
      checkSplit(graph, new int[][] {{0, 2}, {1}, {4}});
    }
  }

  private static float[][] dense(Graph graph) {
    return ((DenseFeatures) requireNonNull(graph.features())).matrix().toArray();
  }

  private static void checkSplit(Graph graph, int[][] parts) {
    Split split = requireNonNull(graph.split());
    assertThat(new int[][] {split.train(), split.valid(), split.test()}).isDeepEqualTo(parts);
  }

  @Test
  void rowsMayBeNormalised() throws IOException {
    FolderFixture folder = folder();
    ReadOptions options = ReadOptions.DEFAULT.withRowNormalise(true);
    try (Graph graph = Graph.open(path, options)) {
      assertThat(dense(graph)[1]).containsExactly(0.4f, 0.6f);
    }
    folder.sparse(
        new NpyBytes("<i8", "(6,)").longs(0, 2, 2, 2, 2, 2),
        new NpyBytes("<i4", "(2,)").ints(0, 1),
        new NpyBytes("<f4", "(2,)").floats(1, 3));
    try (Graph graph = Graph.open(path, options)) {
      SparseFeatures features = (SparseFeatures) requireNonNull(graph.features());
      assertThat(features.byRow().weight(1)).isEqualTo(0.75f);
      assertThat(features.byColumn().weight(1)).isEqualTo(0.75f);
    }
  }

  @Test
  void sparseRowsNeedNotAscend() throws IOException {
    folder()
        .sparse(
            new NpyBytes("<i8", "(6,)").longs(0, 3, 3, 4, 4, 4),
            new NpyBytes("<i4", "(4,)").ints(9, 2, 5, 0),
            new NpyBytes("<f4", "(4,)").floats(1, 2, 3, 4));
    try (Graph graph = Graph.open(path)) {
      SparseFeatures features = (SparseFeatures) requireNonNull(graph.features());
      assertThat(features.rows()).isEqualTo(5);
      assertThat(features.width()).isEqualTo(10);
      assertThat(ArcTable.of(features.byRow()))
          .containsExactly(new Arc(2, 0, 2), new Arc(5, 0, 3), new Arc(9, 0, 1), new Arc(0, 2, 4));
      assertThat(ArcTable.of(features.byColumn()))
          .containsExactly(new Arc(2, 0, 4), new Arc(0, 2, 2), new Arc(0, 5, 3), new Arc(0, 9, 1));
    }
  }

  @Test
  void arcsAloneAreAGraph() throws IOException {
    FolderFixture folder = folder();
    for (String name : new String[] {"features.npy", "labels.npy", "train.txt", "valid.txt"}) {
      folder.delete(name);
    }
    folder.delete("test.txt").edges("src,dst\n7,1\n");
    try (Graph graph = Graph.open(path)) {
      assertThat(graph.vertices()).isEqualTo(8);
      assertThat(graph.features()).isNull();
      assertThat(graph.labels()).isNull();
      assertThat(graph.split()).isNull();
      assertThat(graph.classes()).isZero();
    }
  }

  @Test
  void labelsAreOfTheKindThatTheirTypeAndShapeSay() throws IOException {
    FolderFixture folder = folder();
    folder.npy("labels.npy", new NpyBytes("|u1", "(5, 2)").bytes(0, 1, 1, 1, 0, 0, 0, 0, 1, 0));
    try (Graph graph = Graph.open(path)) {
      assertThat(((MultiLabels) requireNonNull(graph.labels())).values().toArray()[1])
          .containsExactly(1, 1);
      assertThat(graph.classes()).isEqualTo(2);
    }
    folder.npy("labels.npy", new NpyBytes("<f8", "(5,)").doubles(0.5, 1, 2, 3, 4));
    try (Graph graph = Graph.open(path)) {
      assertThat(((RealLabels) requireNonNull(graph.labels())).values().get(0, 0)).isEqualTo(0.5f);
      assertThat(graph.classes()).isEqualTo(1);
    }
    folder.npy("labels.npy", new NpyBytes("<i8", "(5,)").longs(0, 1, 2, 3, 4));
    try (Graph graph = Graph.open(path)) {
      assertThat(graph.labels()).isInstanceOf(ClassLabels.class);
    }
  }

  @Test
  void aSplitOfSeveralIsTakenByItsNumber() throws IOException {
    FolderFixture folder = folder();
    folder.masks(
        new NpyBytes("|b1", "(2, 5)").bytes(1, 0, 0, 0, 1, 0, 1, 1, 0, 0),
        new NpyBytes("|b1", "(2, 5)").bytes(0, 1, 0, 0, 0, 0, 0, 0, 0, 1),
        new NpyBytes("|b1", "(2, 5)").fortran().bytes(0, 1, 0, 0, 1, 0, 0, 0, 0, 0));
    try (Graph graph = Graph.open(path)) {
      checkSplit(graph, new int[][] {{0, 2}, {1}, {4}});
    }
    try (Graph graph = Graph.open(path, ReadOptions.DEFAULT.withSplit(1))) {
      checkSplit(graph, new int[][] {{1, 2}, {4}, {0}});
    }
    folder.delete("train.txt").delete("valid.txt").delete("test.txt");
    try (Graph graph = Graph.open(path)) {
      checkSplit(graph, new int[][] {{0, 4}, {1}, {2}});
    }
  }

  @Test
  void aFileLongerThanTheBufferIsReadWhole() throws IOException {
    int edges = 30_000;
    StringBuilder lines = new StringBuilder("src,dst\n");
    for (int i = 0; i < edges; i++) {
      lines.append(i).append(',').append(i + 1).append('\n');
    }
    FolderFixture folder = folder().edges(lines.toString()).delete("features.npy");
    folder.delete("labels.npy");
    try (Graph graph = Graph.open(path, ReadOptions.DEFAULT.withDirected(true))) {
      Csr in = graph.in();
      assertThat(in.arcs()).isEqualTo(edges);
      for (int row = 1; row <= edges; row++) {
        if (in.degree(row) != 1 || in.id(in.offset(row)) != row - 1) {
          assertThat(row).describedAs("a row without its arc").isNegative();
        }
      }
    }
  }
}
