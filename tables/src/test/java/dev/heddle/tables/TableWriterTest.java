package dev.heddle.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableWriterTest {
  private static final List<TableColumn> COLUMNS =
      List.of(
          new TableColumn("id", TableColumn.Type.TEXT),
          new TableColumn("a \"long\" one", TableColumn.Type.LONG),
          new TableColumn("score", TableColumn.Type.FLOAT),
          new TableColumn("place", TableColumn.Type.FLOATS));
  private static final int ROWS = 5000;

  @TempDir private Path folder;

  private void write(Path file) {
    try (TableWriter writer = TableWriter.create(file, COLUMNS)) {
      for (int i = 0; i < ROWS; i++) {
        writer.put(i == 7 ? null : "ü,\"" + i).put(Long.MAX_VALUE - i).put(i / 8f);
        writer.put(new float[] {i, 0.1f}).endRow();
      }
      writer.finish();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"t.parquet", "t.csv", "t.csv.gz", "t.csv.zst", "t.tsv", "t.jsonl"})
  void rowsComeBack(String name) throws IOException {
    Path file = folder.resolve(name);
    write(file);
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(file);
    }
    try (DuckDb db = DuckDb.open(folder.resolve("read"), 100L << 20);
        Rows rows =
            db.query(
                "SELECT id, \"a \"\"long\"\" one\"::BIGINT, score::FLOAT, place::FLOAT[2] FROM "
                    + Sql.text(file.toString()))) {
      for (int i = 0; i < ROWS; i++) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.textAt(0)).isEqualTo(i == 7 ? null : "ü,\"" + i);
        assertThat(rows.longAt(1)).isEqualTo(Long.MAX_VALUE - i);
        assertThat(rows.doubleAt(2)).isEqualTo(i / 8.0);
        assertThat(rows.textAt(3)).isEqualTo("[" + (float) i + ", 0.1]");
      }
      assertThat(rows.next()).isFalse();
    }
  }

  @Test
  void withoutFinishNothingIsLeft() throws IOException {
    try (TableWriter writer = TableWriter.create(folder.resolve("t.parquet"), COLUMNS)) {
      writer.put("a").put(1L);
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1_900_000})
  void aQueryThatFailsInItsMiddleSaysSo(int good) {
    try (DuckDb db = DuckDb.open(folder.resolve("read"), 100L << 20)) {
      String sql =
          "SELECT CASE WHEN range < "
              + good
              + " THEN range ELSE error('no more') END FROM range(2000000)";
      assertThatThrownBy(
              () -> {
                try (Rows rows = db.query(sql)) {
                  while (rows.next()) {
                    assertThat(rows.longAt(0)).isLessThan(good);
                  }
                }
              })
          .isInstanceOf(TableException.class)
          .hasMessageContaining("no more");
    }
  }

  @Test
  void unknownFormatsAreRefused() {
    assertThatThrownBy(() -> TableWriter.create(folder.resolve("t.xls"), COLUMNS))
        .hasMessageContaining("t.xls: the end of its name is none of .parquet, .csv");
  }
}
