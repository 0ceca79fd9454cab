package dev.heddle.tables.imports;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.ColumnTreatment;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.Split;
import dev.heddle.graph.Treatment;
import dev.heddle.graph.store.Store;
import dev.heddle.kernel.Memory;
import dev.heddle.tables.TableColumn;
import dev.heddle.tables.TableWriter;
import dev.heddle.tables.imports.ImportSettings.EdgeColumns;
import dev.heddle.tables.imports.ImportSettings.EdgeRules;
import dev.heddle.tables.imports.ImportSettings.FeatureSettings;
import dev.heddle.tables.imports.ImportSettings.MissingNode;
import dev.heddle.tables.imports.ImportSettings.NodeColumns;
import dev.heddle.tables.imports.ImportSettings.SplitSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableImportTest {
  private static final String NODES =
      """
      id,age,name,label,score,split
      u1,30,"Ann, ""the
      first\""",spam,0.5,train

      u2,41,Bob,ok,-1e2,valid
      "u,3",17,Cid,,0,
      ü4,18,Dan,ok,1,test
      """;
  private static final String EDGES = "src,dst,since\nu1,u2,2001\n\"u,3\",u1,2002\nü4,ü4,2003\n";
  private static final FeatureSettings RAW =
      new FeatureSettings(
          Map.of(),
          FeatureSettings.GUESSED.skipped(),
          ImportSettings.Missing.MEAN,
          FeatureSettings.GUESSED.missingWords(),
          false,
          8,
          false,
          null,
          false,
          null);
  private static final EdgeRules DIRECTED =
      new EdgeRules(true, false, false, false, MissingNode.ERROR);

  @TempDir private Path folder;

  private static ImportSettings settings(
      TableSettings nodes, TableSettings edges, FeatureSettings features, EdgeRules rules) {
    return new ImportSettings(
        nodes,
        edges,
        NodeColumns.GUESSED,
        EdgeColumns.GUESSED,
        features,
        SplitSettings.USUAL,
        rules);
  }

  private ImportSettings settings(String nodes, String edges) throws IOException {
    return settings(file("nodes.csv", nodes), file("edges.csv", edges), RAW, EdgeRules.USUAL);
  }

  private TableSettings file(String name, String text) throws IOException {
    return TableSettings.of(Files.writeString(folder.resolve(name), text).toString());
  }

  private Path write(ImportSettings settings, String name) {
    Path out = folder.resolve(name);
    PrintWriter log =
        new PrintWriter(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
    try (TableImport tables = TableImport.open(settings, folder.resolve(".tmp"), 200L << 20, log);
        Memory memory = new Memory()) {
      assertThat(tables.write(out, true, memory).lines()).isNotEmpty();
    }
    Store.open(out).verify();
    return out;
  }

  private Graph graph(ImportSettings settings) {
    return Graph.open(write(settings, "store"));
  }

  private static float[][] features(Graph graph) {
    return ((DenseFeatures) requireNonNull(graph.features())).matrix().toArray();
  }

  @Test
  void idsClassesSplitAndFeaturesAreWhatTheTablesSay() throws IOException {
    try (Graph graph = graph(settings(NODES, EDGES))) {
      assertThat(graph.vertices()).isEqualTo(4);
      assertThat(graph.arcs()).isEqualTo(5);
      assertThat(graph.symmetric()).isTrue();
      assertThat(graph.idOf(2)).isEqualTo("u,3");
      assertThat(graph.vertexOf("ü4")).isEqualTo(3);
      assertThat(graph.classNames()).containsExactly("ok", "spam");
      ClassLabels labels = (ClassLabels) requireNonNull(graph.labels());
      assertThat(new int[] {labels.at(0), labels.at(1), labels.at(2), labels.at(3)})
          .containsExactly(1, 0, -1, 0);
      assertThat(graph.featureSchema().names()).startsWith("age").contains("score");
      float[][] features = features(graph);
      assertThat(features[1][0]).isEqualTo(41);
      assertThat(features[1][features[1].length - 1]).isEqualTo(-100);
      Split split = requireNonNull(graph.split());
      assertThat(split.train()).containsExactly(0);
      assertThat(split.valid()).containsExactly(1);
      assertThat(split.test()).containsExactly(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".csv", ".tsv", ".csv.gz", ".csv.zst", ".jsonl", ".parquet"})
  void everyFormReadsToTheSameStore(String end) throws IOException {
    byte[] expected = bytes(write(settings(NODES_PLAIN, EDGES_PLAIN), "plain"));
    Path nodes = folder.resolve("n" + end);
    Path edges = folder.resolve("e" + end);
    copy(NODES_PLAIN, nodes, List.of("id", "x", "label"));
    copy(EDGES_PLAIN, edges, List.of("src", "dst"));
    Path made =
        write(
            settings(
                TableSettings.of(nodes.toString()),
                TableSettings.of(edges.toString()),
                RAW,
                EdgeRules.USUAL),
            "other");
    assertThat(Arrays.equals(bytes(made), expected)).isTrue();
  }

  private static final String NODES_PLAIN =
      "id,x,label\na,1.5,yes\nb,2.5,no\n\"c, d\",3.5,yes\né,4.5,no\nf,5.5,\n";
  private static final String EDGES_PLAIN = "src,dst\na,b\n\"c, d\",é\né,a\nf,f\n";

  /** Written by DuckDB itself, of a kind that the end of the name says. */
  private static void copy(String csv, Path to, List<String> names) {
    List<TableColumn> columns =
        names.stream()
            .map(name ->
                new TableColumn(
                    name, name.equals("x") ? TableColumn.Type.DOUBLE : TableColumn.Type.TEXT))
            .toList();
    try (TableWriter writer = TableWriter.create(to, columns)) {
      for (String line : csv.lines().skip(1).toList()) {
        String[] cells = line.replace("c, d", "c; d").split(",", -1);
        for (int i = 0; i < cells.length; i++) {
          String cell = cells[i].replace("\"", "").replace("c; d", "c, d");
          TableWriter _ =
              names.get(i).equals("x")
                  ? writer.put(Double.parseDouble(cell))
                  : writer.put(cell.isEmpty() ? null : cell);
        }
        writer.endRow();
      }
      writer.finish();
    }
  }

  /** All files but the manifest, which has the store's name. */
  private static byte[] bytes(Path store) throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
      for (Path file :
          files
              .sorted()
              .filter(f -> !f.endsWith("manifest.json") && !f.endsWith(".checked"))
              .toList()) {
        all.writeBytes(String.valueOf(file.getFileName()).getBytes(StandardCharsets.UTF_8));
        all.writeBytes(Files.readAllBytes(file));
      }
      return all.toByteArray();
    }
  }

  @ParameterizedTest
  @CsvSource({"ISO-8859-1, latin-1", "windows-1252, windows-1252", "UTF-16LE, utf-16le"})
  void otherEncodingsAreReadWhenTheyAreSaid(String charset, String said) throws IOException {
    Path nodes = folder.resolve("n.csv");
    Files.write(nodes, "id;x\né;1,5\nb;2\n".getBytes(Charset.forName(charset)));
    ImportSettings settings =
        settings(
            new TableSettings(List.of(nodes.toString()), null, said, (char) 0),
            file("e.csv", "src,dst\né,b\n"),
            new FeatureSettings(
                Map.of(),
                RAW.skipped(),
                RAW.missing(),
                RAW.missingWords(),
                false,
                8,
                true,
                null,
                false,
                null),
            EdgeRules.USUAL);
    try (Graph graph = graph(settings)) {
      assertThat(graph.idOf(0)).isEqualTo("é");
      assertThat(features(graph)).isDeepEqualTo(new float[][] {{1.5f}, {2}});
    }
  }

  @Test
  void longsStayLongsAndOthersStayText() throws IOException {
    String longs = "id\n9223372036854775807\n-5\n12\n";
    try (Graph graph = graph(settings(longs, "src,dst\n12,9223372036854775807\n"))) {
      assertThat(graph.ids()).isInstanceOf(dev.heddle.graph.LongIds.class);
      assertThat(graph.idOf(0)).isEqualTo("9223372036854775807");
      assertThat(graph.vertexOf("-5")).isEqualTo(1);
    }
    try (Graph graph = graph(settings("id\n007\n7\n", "src,dst\n007,7\n"))) {
      assertThat(graph.idOf(0)).isEqualTo("007");
      assertThat(graph.arcs()).isEqualTo(2);
    }
    assertThatThrownBy(() -> graph(settings("id\n8\n7\n", "src,dst\n8,007\n")))
        .hasMessageEndingWith(
            "edges.csv, line 2, column 'dst': '007' is no id of a vertex: --on-missing-node drop or"
                + " add takes such edges");
  }

  @Test
  void weightsTypesAndTimesAreKept() throws IOException {
    String edges =
        "src,dst,weight,type,time\na,b,2,likes,2001-01-01\na,b,3,likes,2001-01-02\nb,a,1,knows,5\n";
    ImportSettings settings =
        settings(file("n.csv", "id\na\nb\n"), file("e.csv", edges), RAW, DIRECTED);
    try (Graph graph = graph(settings)) {
      assertThat(graph.arcs()).isEqualTo(3);
      assertThat(requireNonNull(graph.arcTypes()).names()).containsExactly("knows", "likes");
      assertThat(graph.arcTypes().at(0)).isZero();
      assertThat(graph.in().weight(1)).isEqualTo(2);
      assertThat(graph.in().weight(2)).isEqualTo(3);
    }
    byte[] times = Files.readAllBytes(folder.resolve("store/in.times"));
    java.nio.ByteBuffer read =
        java.nio.ByteBuffer.wrap(times).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    assertThat(read.getLong(64)).isEqualTo(5);
    assertThat(read.getLong(72)).isEqualTo(978_307_200);
    ImportSettings merged =
        settings(
            requireNonNull(settings.nodes()),
            settings.edges(),
            RAW,
            new EdgeRules(true, true, false, false, MissingNode.ERROR));
    try (Graph graph = graph(merged)) {
      assertThat(graph.arcs()).isEqualTo(2);
      assertThat(graph.in().weight(1)).isEqualTo(5);
    }
  }

  @Test
  void edgesWithoutAVertexAreDroppedOrAddOne() throws IOException {
    TableSettings nodes = file("n.csv", "id,x\na,1\nb,3\n");
    TableSettings edges = file("e.csv", "src,dst\na,b\na,zz\nyy,b\na,a\n");
    EdgeRules drop = new EdgeRules(true, false, true, false, MissingNode.DROP);
    try (Graph graph = graph(settings(nodes, edges, RAW, drop))) {
      assertThat(graph.vertices()).isEqualTo(2);
      assertThat(graph.arcs()).isEqualTo(1);
    }
    EdgeRules add = new EdgeRules(true, false, false, false, MissingNode.ADD);
    try (Graph graph = graph(settings(nodes, edges, RAW, add))) {
      assertThat(graph.vertices()).isEqualTo(4);
      assertThat(graph.idOf(2)).isEqualTo("yy");
      assertThat(graph.idOf(3)).isEqualTo("zz");
      assertThat(features(graph)).isDeepEqualTo(new float[][] {{1}, {3}, {2}, {2}});
    }
  }

  @Test
  void databasesAreAskedByQueries() throws SQLException {
    String url = "jdbc:h2:mem:people;DB_CLOSE_DELAY=-1";
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE people (id BIGINT, x DOUBLE PRECISION, label VARCHAR)");
      statement.execute("CREATE TABLE knows (src BIGINT, dst BIGINT)");
      statement.execute("INSERT INTO people VALUES (1, 0.5, 'a'), (2, NULL, 'b'), (3, 1.5, 'a')");
      statement.execute("INSERT INTO knows VALUES (1, 2), (3, 1)");
    }
    ImportSettings settings =
        settings(
            new TableSettings(
                List.of(url),
                "SELECT id AS \"id\", x AS \"x\", label AS \"label\" FROM people ORDER BY id",
                null,
                (char) 0),
            new TableSettings(List.of(url), "SELECT src, dst FROM knows", null, (char) 0),
            RAW,
            EdgeRules.USUAL);
    try (Graph graph = graph(settings)) {
      assertThat(graph.idOf(2)).isEqualTo("3");
      assertThat(graph.arcs()).isEqualTo(4);
      assertThat(graph.classNames()).containsExactly("a", "b");
    }
    TableSettings wrong =
        new TableSettings(
            List.of("jdbc:h2:mem:people;USER=x;PASSWORD=secret"), "SELECT 1", null, (char) 0);
    assertThatThrownBy(() -> graph(settings(wrong, wrong, RAW, EdgeRules.USUAL)))
        .isInstanceOf(ImportException.class)
        .hasMessageStartingWith("jdbc:h2:mem:people (nodes): Wrong user name or password")
        .hasMessageNotContaining("secret");
  }

  @Test
  void labelsAreGuessedAndSaid() throws IOException {
    try (Graph graph = graph(settings("id,y\na,1.5\nb,2\nc,NA\n", "src,dst\na,b\n"))) {
      assertThat(graph.labels()).isInstanceOf(RealLabels.class);
      assertThat(
              requireNonNull(graph.split()).train().length
                  + graph.split().valid().length
                  + graph.split().test().length)
          .isEqualTo(2);
    }
    try (Graph graph = graph(settings("id,label\na,\"[0,1]\"\nb,\"[1,1]\"\n", "src,dst\na,b\n"))) {
      assertThat(((MultiLabels) requireNonNull(graph.labels())).values().toArray())
          .isDeepEqualTo(new float[][] {{0, 1}, {1, 1}});
    }
  }

  @Test
  void nothingIsLearntFromOtherRowsThanThoseForTraining() throws IOException {
    String train = "a,1,red,train,p\nb,3,blue,train,q\n";
    String one = "id,x,colour,split,label\n" + train + "c,900,green,test,p\nd,-5,red,valid,q\n";
    String other = "id,x,colour,split,label\n" + train + "c,,blue,test,p\nd,77,pink,valid,q\n";
    FeatureSettings guessed =
        new FeatureSettings(
            Map.of("colour", ColumnTreatment.Kind.CATEGORY),
            RAW.skipped(),
            ImportSettings.Missing.INDICATOR,
            RAW.missingWords(),
            true,
            8,
            false,
            null,
            false,
            null);
    Treatment first = treated(one, guessed);
    assertThat(treated(other, guessed)).isEqualTo(first);
    ColumnTreatment x = first.columns().getFirst();
    assertThat(x.means()).containsExactly(2.0);
    assertThat(x.deviations()).containsExactly(1.0);
    assertThat(first.columns().get(1).categories()).containsExactly("blue", "red");
    try (Graph graph =
        graph(
            settings(
                file("n.csv", "colour,x,id\nred,5,z\ngreen,,y\n"),
                file("e.csv", "src,dst\nz,y\n"),
                guessed.like(first),
                EdgeRules.USUAL))) {
      assertThat(graph.featureSchema().names()).containsExactly("x", "colour=blue", "colour=red");
      assertThat(features(graph)).isDeepEqualTo(new float[][] {{3, 0, 1}, {0, 0, 0}});
    }
  }

  private Treatment treated(String nodes, FeatureSettings features) throws IOException {
    Path store =
        write(
            settings(
                file("n.csv", nodes), file("e.csv", "src,dst\na,b\n"), features, EdgeRules.USUAL),
            "treated");
    return requireNonNull(Store.open(store).treatment());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "name,label;a,x      | src,dst     | nodes.csv: none of the columns is called id; there are"
            + " name, label: say --id COLUMN",
        "id;a;a              | src,dst     | nodes.csv, line 3, column 'id': the id 'a' is there"
            + " already",
        "id,x;a,1;b          | src,dst     | nodes.csv, line 3: 1 columns where the header has 2"
            + " (another --delimiter?)",
        "id,x;a,1;b,0x1p3;c,2;d,2;e,2;f,2;g,2;h,2;i,2;j,2;k,2 | src,dst | nodes.csv, line 3, column"
            + " 'x': '0x1p3' is not a finite number",
        "id,x;a,1f;b,2;c,2;d,2;e,2;f,2;g,2;h,2;i,2;j,2;k,2 | src,dst | nodes.csv, line 2, column"
            + " 'x': '1f' is not a finite number",
        "id,x;a,NaN;b,2;c,2;d,2;e,2;f,2;g,2;h,2;i,2;j,2;k,2 | src,dst | nodes.csv, line 2, column"
            + " 'x': 'NaN' is not a finite number",
        "id,x;a,\"[1,2]\";b,\"[1]\" | src,dst | nodes.csv, line 3, column 'x': a list of 1 where"
            + " those before have 2",
        "id,x,X;a,1,2        | src,dst     | nodes.csv, line 1: columns 2 and 3 are both called"
            + " 'X'",
        "id,x;,1             | src,dst     | nodes.csv, line 2, column 'id': an empty id",
        "id,label,split;a,,train;b,1, | src,dst | nodes.csv, line 2, column 'split': it is in the"
            + " split but has no label",
        "id,label,split;a,1,tset | src,dst | nodes.csv, line 2, column 'split': 'tset' is none of"
            + " train, valid, test (training, validation, testing, val), nor empty",
        "id                  | src,dst     | nodes.csv: there are no rows",
        "id;a;\"b           | src,dst     | nodes.csv, line 3: a quote is not closed, or text"
            + " follows it",
        "id;a                | src,to;a,a  | edges.csv, line 2",
        "id;a                | x,y;a,a     | edges.csv: which columns hold the ends of edges is not"
            + " clear; there are x, y: say --source COLUMN --target COLUMN",
        "id;a                | src,dst;a,b | edges.csv, line 2, column 'dst': 'b' is no id of a"
            + " vertex",
        "id;a                | src,dst,weight;a,a,x | edges.csv, line 2, column 'weight': 'x' is"
            + " not a finite number",
        "id;a                | src,dst,weight;a,a,-1 | edges.csv: 1 weights are negative",
      })
  void faultsNameFileLineAndColumn(String nodes, String edges, String fault) throws IOException {
    ImportSettings settings = settings(nodes.replace(';', '\n'), edges.replace(';', '\n'));
    if (fault.equals("edges.csv, line 2")) {
      graph(settings).close();
      return;
    }
    assertThatThrownBy(() -> graph(settings).close())
        .isInstanceOf(ImportException.class)
        .hasMessageStartingWith(folder + "/" + fault);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left.map(f -> String.valueOf(f.getFileName())))
          .containsExactlyInAnyOrder("nodes.csv", "edges.csv");
    }
  }

  @Test
  void allThatIsWrongWithATableIsToldAtOnce() throws IOException {
    String good = "c,2,2020-01-02\nd,2,2020-01-02\ne,2,2020-01-02\nf,2,2020-01-02\n";
    String more =
        good.replaceAll("(?m)^(.)", "$1x")
            + good.replaceAll("(?m)^(.)", "$1y")
            + good.replaceAll("(?m)^(.)", "$1z");
    String nodes = "id,x,day\na,tall,2020-01-01\nb,1,2020-13-01\n" + good + more;
    assertThatThrownBy(() -> graph(settings(nodes, "src,dst\n")))
        .isInstanceOfSatisfying(
            ImportException.class,
            e -> {
              assertThat(e.lines()).hasSize(2);
              assertThat(e.lines().getFirst())
                  .contains("nodes.csv, line 2, column 'x': 'tall'")
                  .contains("--feature x=category");
              assertThat(e.lines().getLast())
                  .contains("nodes.csv, line 3, column 'day': '2020-13-01'")
                  .contains("--date-format");
            });
  }

  @Test
  void brokenFilesAreNamed() throws IOException {
    Path zipped = folder.resolve("nodes.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
      for (int i = 0; i < 20_000; i++) {
        out.write((Integer.toString(i * 7919) + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
    byte[] whole = Files.readAllBytes(zipped);
    Files.write(zipped, Arrays.copyOf(whole, whole.length / 2));
    TableSettings edges = file("edges.csv", "src,dst\n");
    ImportSettings settings =
        settings(TableSettings.of(zipped.toString()), edges, RAW, EdgeRules.USUAL);
    assertThatThrownBy(() -> graph(settings))
        .isInstanceOf(ImportException.class)
        .hasMessageContaining("nodes.csv.gz")
        .hasMessageContaining("end of");
    Path latin = folder.resolve("latin.csv");
    Files.write(latin, "id\na\n\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(
            () -> graph(settings(TableSettings.of(latin.toString()), edges, RAW, EdgeRules.USUAL)))
        .hasMessageStartingWith(latin + ", line 3: not UTF-8: say --encoding latin-1");
    Path one = folder.resolve("p1.parquet");
    Path two = folder.resolve("p2.parquet");
    copy("id,x\na,1\n", one, List.of("id", "x"));
    copy("id,y\nb,1\n", two, List.of("id", "y"));
    assertThatThrownBy(() ->
            graph(settings(TableSettings.of(folder + "/p*.parquet"), edges, RAW, EdgeRules.USUAL)))
        .hasMessage(two + ": there is no column 'x', unlike in " + one);
  }
}
