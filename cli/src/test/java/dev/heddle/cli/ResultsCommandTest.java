package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Npy;
import dev.heddle.graph.NpyWriter;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@code predict} and {@code embed} write: every id once, the same numbers in every format.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ResultsCommandTest {
  private static final int USERS = 60;

  /** Of a graph whose labels are several, or numbers. */
  private static final int VERTICES = 40;

  /** Classes called like other columns, or told apart by capitals alone. */
  private static final List<String> CLASSES = List.of("id", "Ok", "ok");

  @TempDir private Path folder;

  @BeforeEach
  void trainOnTables() throws IOException {
    StringBuilder nodes = new StringBuilder("id,age,posts,label\n");
    StringBuilder edges = new StringBuilder("src,dst\n");
    for (int u = 0; u < USERS; u++) {
      nodes.append(id(u)).append(',').append(u % 7).append(',').append(u % 3).append(',');
      nodes.append(CLASSES.get(u % 3)).append('\n');
      edges.append(id(u)).append(',').append(id((u + 3) % USERS)).append('\n');
    }
    Files.writeString(folder.resolve("users.csv"), nodes);
    Files.writeString(folder.resolve("follows.csv"), edges);
    run("import --nodes @users.csv --edges @follows.csv --out @users.store");
    run("train --graph @users.store --hidden 6 --epochs 3 --threads 1 --out @run");
  }

  private static String id(int user) {
    return "user-" + (USERS - user) + "-ü";
  }

  private Ran run(String line) {
    String[] words =
        List.of(line.split(" ", -1)).stream()
            .map(word -> word.startsWith("@") ? at(word.substring(1)) : word)
            .toArray(String[]::new);
    Ran ran = Ran.heddle(words);
    assertThat(ran.exit()).as(line + ": " + ran.err()).isZero();
    return ran;
  }

  private String at(String name) {
    return folder.resolve(name).toString();
  }

  /** Rows of a table as DuckDB reads it: an id, then columns as text. */
  private List<List<String>> table(String name, String columns) {
    List<List<String>> all = new ArrayList<>();
    try (DuckDb db = DuckDb.open(folder.resolve("read"), 100L << 20);
        Rows rows = db.query("SELECT " + columns + " FROM '" + at(name) + "'")) {
      while (rows.next()) {
        all.add(IntStream.range(0, rows.columns()).mapToObj(rows::textAt).toList());
      }
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"p.parquet", "p.jsonl", "p.tsv", "p.csv.gz"})
  void predictionsAreTheSameInEveryFormat(String name) throws IOException {
    run("predict @run --out @p.csv");
    run("predict @run --out @" + name);
    String columns = "id, class, probability::FLOAT, id_2::FLOAT, Ok::FLOAT, ok_2::FLOAT";
    List<List<String>> csv = table("p.csv", columns);
    assertThat(table(name, columns)).isEqualTo(csv);
    assertThat(csv.stream().map(List::getFirst).toList())
        .isEqualTo(IntStream.range(0, USERS).mapToObj(ResultsCommandTest::id).toList());
    for (List<String> row : csv) {
      double[] each = row.subList(3, 6).stream().mapToDouble(Double::parseDouble).toArray();
      assertThat(each[0] + each[1] + each[2]).isCloseTo(1, within(1e-5));
      int best = CLASSES.indexOf(row.get(1));
      assertThat(each[best]).isEqualTo(Double.parseDouble(row.get(2)));
      assertThat(each[best]).isGreaterThanOrEqualTo(Math.max(each[0], Math.max(each[1], each[2])));
    }
  }

  @Test
  void theLikeliestClassAloneCanBeWritten() throws IOException {
    run("predict @run --out @p.txt --format csv --no-probabilities");
    assertThat(Files.readAllLines(folder.resolve("p.txt")).getFirst())
        .isEqualTo("id,class,probability");
    try (var left = Files.list(folder)) {
      assertThat(left.map(file -> file.getFileName().toString()))
          .noneMatch(file -> file.contains(".tmp"));
    }
  }

  @Test
  void vectorsOfALayerAreTheSameInEveryFormat() throws IOException {
    run("embed @run --out @v.npy");
    run("embed @run --out @v.parquet --layer 1");
    run("embed @run --out @v.csv");
    run("embed @run --out @v.jsonl");
    assertThat(Files.readAllLines(folder.resolve("v.npy.ids.txt")))
        .isEqualTo(IntStream.range(0, USERS).mapToObj(ResultsCommandTest::id).toList());
    List<List<String>> parquet = table("v.parquet", "id, len(vector), vector[1], vector[6]");
    List<List<String>> csv = table("v.csv", "id, 6, v0::FLOAT, v5::FLOAT");
    assertThat(parquet).isEqualTo(csv).hasSize(USERS);
    List<String> lines = Files.readAllLines(folder.resolve("v.jsonl"));
    try (Arena arena = Arena.ofConfined()) {
      Npy npy = Npy.map(folder.resolve("v.npy"), arena);
      for (int u = 0; u < USERS; u++) {
        assertThat(npy.floatAt(6L * u + 5)).isEqualTo(Float.parseFloat(csv.get(u).get(3)));
        JsonNode json = new JsonMapper().readTree(lines.get(u));
        assertThat(json.get("id").asString()).isEqualTo(id(u));
        assertThat(json.get("vector").get(5).floatValue()).isEqualTo(npy.floatAt(6L * u + 5));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void severalLabelsAndNumbersAreWritten(boolean labels) throws IOException {
    Path graph = RingGraph.write(folder.resolve("rings"), VERTICES);
    int n = VERTICES;
    try (Memory memory = Memory.limitedTo(1 << 20)) {
      Matrix values = Matrix.allocate(memory, n, 2);
      for (int v = 0; v < n; v++) {
        values.setRow(v, new float[] {v % 5, v % 2});
      }
      NpyWriter.write(graph.resolve("labels.npy"), values);
    }
    if (labels) {
      multi(graph.resolve("labels.npy"), n);
    }
    run("train --graph @rings --epochs 3 --threads 1 --out @other");
    run("predict @other --out @o.parquet");
    List<List<String>> rows = table("o.parquet", "*");
    assertThat(rows).hasSize(n);
    assertThat(new TreeSet<>(rows.stream().map(List::getFirst).toList())).hasSize(n);
    for (List<String> row : rows) {
      assertThat(row).hasSize(3);
      double first = Double.parseDouble(row.get(1));
      if (labels) {
        assertThat(first).isBetween(0.0, 1.0);
      } else {
        assertThat(first).isFinite();
      }
    }
  }

  /** Two labels of every vertex, as bytes. */
  private static void multi(Path file, int n) throws IOException {
    String header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + n + ", 2), }";
    byte[] bytes = new byte[128 + 2 * n];
    byte[] start =
        ("\u0093NUMPY\u0001\u0000v\u0000" + header).getBytes(StandardCharsets.ISO_8859_1);
    Arrays.fill(bytes, 0, 127, (byte) ' ');
    System.arraycopy(start, 0, bytes, 0, start.length);
    bytes[127] = '\n';
    for (int i = 0; i < 2 * n; i++) {
      bytes[128 + i] = (byte) (i % 3 == 0 ? 1 : 0);
    }
    Files.write(file, bytes);
  }

  /** Of a store whose features alone exceed the memory, by a model of every preset. */
  @ParameterizedTest
  @CsvSource({
    "vanilla-full, --workers 1 --model gat --heads 2 --hidden 32",
    "vanilla-mini, --workers 1 --model sage --batch 500 --norm layer",
    "adaqp, --workers 2 --model gcn",
    "batchgnn, --workers 2 --model sage-pool --batch 500",
    "gnnpipe, --workers 2 --layers 4 --model gcnii",
    "gsplit, --workers 2 --model gatv2 --heads 2 --hidden 32 --batch 500",
  })
  void aStoreLargerThanMemoryHasTheSameBits(String preset, String options) throws IOException {
    run("generate --vertices 12000 --degree 6 --width 96 --seed 4 --out @big.store");
    String train = "train --graph @big.store --epochs 1 --evaluate-every 0 --threads 2 --out @by";
    run(train + " --order original --preset " + preset + " " + options);
    String predict = "predict @by --features mapped --out ";
    run(predict + "@enough.csv");
    String little = run(predict + "@little.csv --memory 4m").out();
    assertThat(little).containsPattern("MB of values in files, [12]\\.[0-9] MB of memory");
    assertThat(folder.resolve("little.csv")).hasSameTextualContentAs(folder.resolve("enough.csv"));
    List<String> ids =
        Files.readAllLines(folder.resolve("little.csv")).stream()
            .skip(1)
            .map(line -> line.substring(0, line.indexOf(',')))
            .toList();
    assertThat(ids).isEqualTo(IntStream.range(0, 12_000).mapToObj(Integer::toString).toList());
    run("embed @by --features mapped --out @enough.npy");
    run("embed @by --features mapped --out @little.npy --memory 4m");
    assertThat(folder.resolve("little.npy")).hasSameBinaryContentAs(folder.resolve("enough.npy"));
  }

  @Test
  void withoutScratchWhatDoesNotFitIsRefused() {
    run("generate --vertices 12000 --degree 6 --width 96 --seed 4 --out @big.store");
    run("train --graph @big.store --model gcn --epochs 1 --threads 2 --out @by");
    String[] evaluate = {"evaluate", at("by"), "--features", "mapped"};
    Ran refused = Ran.heddle(with(evaluate, "--memory", "4m"));
    assertThat(refused.exit()).isEqualTo(Errors.USAGE);
    assertThat(refused.err()).contains("needs", "--scratch has it in files");
    assertThat(Ran.heddle(with(evaluate, "--memory", "4m", "--scratch", at("."))).out())
        .isEqualTo(Ran.heddle(evaluate).out());
  }
}
