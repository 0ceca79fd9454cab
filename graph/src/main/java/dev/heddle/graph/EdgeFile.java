package dev.heddle.graph;

import dev.heddle.kernel.Memory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of edges with a header: columns {@code src} and {@code dst}, perhaps {@code weight},
 * others passed over.
 */
final class EdgeFile {
  private static final String BYTE_ORDER_MARK =
      new String(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF}, StandardCharsets.UTF_8);

  /** What a column means. */
  private enum Column {
    SOURCE,
    DESTINATION,
    WEIGHT,
    OTHER
  }

  private final FieldReader reader;
  private final Column[] columns;

  private EdgeFile(Path file, FieldReader reader) {
    this.reader = reader;
    if (!reader.atLine()) {
      throw new GraphFormatException(file, "empty: the header src,dst is missing");
    }
    List<Column> header = new ArrayList<>();
    do {
      reader.readField();
      String name = reader.text().replace(BYTE_ORDER_MARK, "").strip();
      header.add(
          switch (name) {
            case "src" -> Column.SOURCE;
            case "dst" -> Column.DESTINATION;
            case "weight" -> Column.WEIGHT;
            default -> Column.OTHER;
          });
    } while (reader.atNextField());
    requireOne(header, Column.SOURCE, "src");
    requireOne(header, Column.DESTINATION, "dst");
    if (header.contains(Column.WEIGHT)) {
      requireOne(header, Column.WEIGHT, "weight");
    }
    columns = header.toArray(Column[]::new);
  }

  private void requireOne(List<Column> header, Column column, String name) {
    long count = header.stream().filter(c -> c == column).count();
    if (count != 1) {
      throw reader.fault(
          "the header has "
              + (count == 0 ? "no" : count + " times the")
              + " column '"
              + name
              + "'");
    }
  }

  /** What a file holds. */
  record Edges(Arcs arcs, int vertices) {}

  /**
   * Reads all edges into {@code scratch}.
   *
   * @param bound ids are less than this
   */
  static Edges read(Path file, Memory scratch, int bound) {
    try (FieldReader reader = FieldReader.open(file)) {
      return new EdgeFile(file, reader).edges(scratch, bound);
    }
  }

  private Edges edges(Memory scratch, int bound) {
    boolean weighted = List.of(columns).contains(Column.WEIGHT);
    Arcs arcs = weighted ? Arcs.weighted(scratch) : Arcs.unweighted(scratch);
    int largest = -1;
    while (reader.atLine()) {
      int source = 0;
      int destination = 0;
      float weight = 1;
      for (int i = 0; i < columns.length; i++) {
        if (i > 0 && !reader.atNextField()) {
          throw reader.fault(i + " columns where the header has " + columns.length);
        }
        reader.readField();
        switch (columns[i]) {
          case SOURCE -> source = reader.vertex(bound);
          case DESTINATION -> destination = reader.vertex(bound);
          case WEIGHT -> weight = reader.number();
          case OTHER -> {}
        }
      }
      if (reader.atNextField()) {
        throw reader.fault("more columns than the " + columns.length + " of the header");
      }
      arcs.add(source, destination, weight);
      largest = Math.max(largest, Math.max(source, destination));
    }
    return new Edges(arcs, largest + 1);
  }
}
