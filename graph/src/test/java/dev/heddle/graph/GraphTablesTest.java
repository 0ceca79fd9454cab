package dev.heddle.graph;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraphTablesTest {
  private static final String NODES =
      "\uFEFFid,age,name,label,score,split\r\n"
          + "u1,30,\"Ann, \"\"the\nfirst\"\"\",spam,0.5,train\r\n"
          + "\r\n"
          + "u2,41,Bob,ok,-1e2,valid\n"
          + "\"u,3\",17,Cid,,0,\n"
          + "u4,18,Dan,ok,1,test";
  private static final String EDGES = "src,dst,since\nu1,u2,2001\n\"u,3\",u1,2002\nu4,u4,2003\n";

  @TempDir private Path folder;

  private GraphTables tables(String nodes, String edges) throws IOException {
    return GraphTables.of(
        Files.writeString(folder.resolve("nodes.csv"), nodes),
        Files.writeString(folder.resolve("edges.csv"), edges));
  }

  private static VertexColumns skipping(String... columns) {
    return new VertexColumns("id", "label", "split", Set.of(columns));
  }

  @Test
  void idsClassesSplitAndFeaturesAreWhatTheTablesSay() throws IOException {
    try (Graph graph = tables(NODES, EDGES).columns(skipping("name")).read(ReadOptions.DEFAULT)) {
      assertThat(graph.vertices()).isEqualTo(4);
      assertThat(graph.arcs()).isEqualTo(5);
      assertThat(graph.symmetric()).isTrue();
      assertThat(graph.idOf(2)).isEqualTo("u,3");
      assertThat(graph.vertexOf("u4")).isEqualTo(3);
      assertThat(graph.classNames()).containsExactly("ok", "spam");
      ClassLabels labels = (ClassLabels) requireNonNull(graph.labels());
      assertThat(new int[] {labels.at(0), labels.at(1), labels.at(2), labels.at(3)})
          .containsExactly(1, 0, -1, 0);
      DenseFeatures features = (DenseFeatures) requireNonNull(graph.features());
      assertThat(features.matrix().toArray())
          .isDeepEqualTo(new float[][] {{30, 0.5f}, {41, -100}, {17, 0}, {18, 1}});
      Split split = requireNonNull(graph.split());
      assertThat(split.train()).containsExactly(0);
      assertThat(split.valid()).containsExactly(1);
      assertThat(split.test()).containsExactly(3);
    }
  }

  @Test
  void withoutASplitLabelledVerticesAreDivided() throws IOException {
    StringBuilder nodes = new StringBuilder("key,class\n");
    for (int i = 0; i < 100; i++) {
      nodes.append(i).append(i < 50 ? ",a\n" : i < 90 ? ",b\n" : ",\n");
    }
    VertexColumns columns = new VertexColumns("key", "class", "split", Set.of());
    try (Graph graph =
        tables(nodes.toString(), "from,to,weight\n0,1,2.5\n")
            .columns(columns)
            .ends("from", "to")
            .read(ReadOptions.DEFAULT.withDirected(true))) {
      Split split = requireNonNull(graph.split());
      assertThat(split.train()).hasSize(54).isSorted();
      assertThat(Arrays.stream(split.train())).allMatch(v -> v < 90);
      assertThat(split.valid()).hasSize(18).isSorted();
      assertThat(split.test()).hasSize(18).isSorted();
      assertThat(graph.features()).isNull();
      assertThat(graph.in().weight(0)).isEqualTo(2.5f);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "name,label;a,x      | src,dst     | nodes.csv: there is no column 'id'; there are name, label",
        "id;a;a              | src,dst     | nodes.csv, line 3: the id 'a' is there already",
        "id,x;a,1;b          | src,dst     | nodes.csv, line 3: 1 columns where the header has 2",
        "id,x;a,tall         | src,dst     | nodes.csv, line 2: 'tall' in column 'x' is not a finite number (or skip the column)",
        "id,x;a,NaN          | src,dst     | nodes.csv, line 2: 'NaN' in column 'x' is not a finite number (or skip the column)",
        "id,x;a,             | src,dst     | nodes.csv, line 2: '' in column 'x' is not a finite number (or skip the column)",
        "id,label,split;a,,train | src,dst | nodes.csv, line 2: it is in the split but has no label",
        "id,label,split;a,1,tset | src,dst | nodes.csv, line 2: 'tset' is none of train, valid, test, nor empty",
        "id                  | src,dst     | nodes.csv, line 2: there are no vertices",
        "id;a;\"b           | src,dst     | nodes.csv, line 3: a quote is not closed",
        "id;a                | src,to;a,a  | edges.csv: there is no column 'dst'; there are src, to",
        "id;a                | src,dst;a,b | edges.csv, line 2: the table of vertices has no 'b'",
        "id;a                | src,dst,weight;a,a,x | edges.csv, line 2: the weight 'x' is not a finite number",
      })
  void faultsNameFileAndLine(String nodes, String edges, String fault) throws IOException {
    GraphTables tables = tables(nodes.replace(';', '\n'), edges.replace(';', '\n'));
    assertThatThrownBy(() -> tables.read(ReadOptions.DEFAULT).close())
        .isInstanceOf(GraphFormatException.class)
        .hasMessage(folder + "/" + fault);
  }

  @Test
  void aColumnThatWasNamedMustBeThere() throws IOException {
    VertexColumns misspelt = new VertexColumns("id", "clas", "split", Set.of());
    assertThatThrownBy(() ->
            tables("id,class\na,1\n", "src,dst\n").columns(misspelt).read(ReadOptions.DEFAULT))
        .hasMessage(folder + "/nodes.csv: there is no column 'clas'; there are id, class");
    GraphTables tables = tables("id,x\na,1\n", "src,dst\n").columns(skipping("y"));
    assertThatThrownBy(() -> tables.read(ReadOptions.DEFAULT).close())
        .hasMessage(folder + "/nodes.csv: there is no column 'y'; there are id, x");
  }
}
