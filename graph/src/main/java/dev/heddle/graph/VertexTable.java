package dev.heddle.graph;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A CSV table of vertices: a column with their ids, perhaps one with classes and one that says
 * {@code train}, {@code valid} or {@code test}; all others are features and hold numbers.
 */
final class VertexTable {
  private static final List<String> PARTS = List.of("train", "valid", "test");
  private static final List<String> MISSING = List.of("NA", "N/A", "NaN", "nan", "null", "NULL");
  private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9]*\\.?[0-9]+([eE][-+]?[0-9]+)?");
  private static final Pattern FRACTION = Pattern.compile("[-+]?[0-9]*\\.[0-9]*[1-9][0-9]*");
  private static final double TRAIN = 0.6;
  private static final double VALID = 0.2;

  private final Map<String, Integer> vertices = new HashMap<>();
  private final List<String> ids = new ArrayList<>();
  private final List<float[]> features = new ArrayList<>();
  private final List<String> featureNames;
  private final List<String> classes = new ArrayList<>();
  private final List<Integer> parts = new ArrayList<>();
  private final boolean labelled;
  private final boolean divided;

  private VertexTable(CsvReader csv, VertexColumns columns) {
    int id = csv.require(columns.id());
    int label = find(csv, columns.label(), VertexColumns.DEFAULT.label());
    int split = find(csv, columns.split(), VertexColumns.DEFAULT.split());
    labelled = label >= 0;
    divided = split >= 0;
    int[] numbers = numbers(csv, columns);
    featureNames = Arrays.stream(numbers).mapToObj(csv.header()::get).toList();
    for (List<String> row = csv.next(); row != null; row = csv.next()) {
      if (vertices.putIfAbsent(row.get(id), ids.size()) != null) {
        throw csv.fault("the id '" + row.get(id) + "' is there already");
      }
      ids.add(row.get(id));
      features.add(values(csv, row, numbers));
      classes.add(labelled ? row.get(label).strip() : "");
      parts.add(divided ? part(csv, row.get(split).strip(), classes.getLast()) : -1);
    }
    if (ids.isEmpty()) {
      throw csv.fault("there are no vertices");
    }
    requireClasses(csv, columns.label());
    requireDistinct(csv, featureNames);
  }

  /** Refuses labels that are no classes: numbers with fractions would be one class each. */
  private void requireClasses(CsvReader csv, String column) {
    for (String missing : MISSING) {
      if (classes.contains(missing)) {
        throw csv.fault(
            "column '"
                + column
                + "' has '"
                + missing
                + "': leave unknown labels empty, and give a class of that name another");
      }
    }
    Set<String> names = new TreeSet<>(classes);
    names.remove("");
    if (names.stream().anyMatch(name -> FRACTION.matcher(name).matches())
        && names.stream().allMatch(name -> NUMBER.matcher(name).matches())) {
      throw csv.fault(
          "column '"
              + column
              + "' holds "
              + names.size()
              + " different numbers with fractions: they are no classes");
    }
  }

  private static void requireDistinct(CsvReader csv, List<String> names) {
    Set<String> seen = new HashSet<>();
    for (String name : names) {
      if (!seen.add(name)) {
        throw csv.fault("two columns are called '" + name + "'");
      }
    }
  }

  static VertexTable read(Path file, VertexColumns columns) {
    try (CsvReader csv = CsvReader.open(file)) {
      return new VertexTable(csv, columns);
    }
  }

  /** A column that was asked for by another name than the usual one must be there. */
  private static int find(CsvReader csv, String column, String usual) {
    return column.equals(usual) ? csv.find(column) : csv.require(column);
  }

  private static int[] numbers(CsvReader csv, VertexColumns columns) {
    Set<String> others = new TreeSet<>(columns.skipped());
    others.addAll(List.of(columns.id(), columns.label(), columns.split()));
    columns.skipped().forEach(csv::require);
    return IntStream.range(0, csv.header().size())
        .filter(i -> !others.contains(csv.header().get(i)))
        .toArray();
  }

  private static float[] values(CsvReader csv, List<String> row, int[] columns) {
    float[] values = new float[columns.length];
    for (int i = 0; i < columns.length; i++) {
      String text = row.get(columns[i]);
      try {
        values[i] = Float.parseFloat(text);
      } catch (NumberFormatException _) {
        values[i] = Float.NaN;
      }
      if (!Float.isFinite(values[i])) {
        String name = csv.header().get(columns[i]);
        throw csv.fault(
            "'" + text + "' in column '" + name + "' is not a finite number (or skip the column)");
      }
    }
    return values;
  }

  private static int part(CsvReader csv, String text, String label) {
    int part = PARTS.indexOf(text);
    if (part < 0 && !text.isEmpty()) {
      throw csv.fault("'" + text + "' is none of train, valid, test, nor empty");
    }
    if (part >= 0 && label.isEmpty()) {
      throw csv.fault("it is in the split but has no label");
    }
    return part;
  }

  int rows() {
    return ids.size();
  }

  /** The vertex of that id, or null. */
  @Nullable Integer vertex(String id) {
    return vertices.get(id);
  }

  StringIds ids(Memory memory) {
    return StringIds.of(memory, ids);
  }

  /** What the columns of the features are called. */
  List<String> featureNames() {
    return featureNames;
  }

  @Nullable Features features(Memory memory) {
    int width = features.getFirst().length;
    if (width == 0) {
      return null;
    }
    Matrix matrix = Matrix.allocate(memory, rows(), width);
    for (int v = 0; v < rows(); v++) {
      matrix.setRow(v, features.get(v));
    }
    return new DenseFeatures(matrix);
  }

  /** Classes by name, in the order of their names. */
  List<String> classNames() {
    Set<String> names = new TreeSet<>(classes);
    names.remove("");
    return List.copyOf(names);
  }

  @Nullable Labels labels(Memory memory) {
    if (!labelled) {
      return null;
    }
    List<String> names = classNames();
    Map<String, Integer> numbers = new HashMap<>();
    names.forEach(name -> numbers.put(name, numbers.size()));
    int[] values =
        classes.stream().mapToInt(c -> numbers.getOrDefault(c, ClassLabels.NONE)).toArray();
    return ClassLabels.of(memory, values, names.size());
  }

  /** The split of the table; without one, 60, 20 and 20 % of those that have a class, at random. */
  @Nullable Split split() {
    if (!labelled) {
      return null;
    }
    if (divided) {
      return new Split(members(0), members(1), members(2));
    }
    int[] known = rowsWhere(v -> !classes.get(v).isEmpty());
    long key = Draws.key(Draws.Domain.SHUFFLE, 0, -1, 0, 0);
    Split split = RandomSplit.of(known.length, TRAIN, VALID, key);
    return new Split(of(known, split.train()), of(known, split.valid()), of(known, split.test()));
  }

  private static int[] of(int[] known, int[] places) {
    return Arrays.stream(places).map(i -> known[i]).toArray();
  }

  private int[] members(int part) {
    return rowsWhere(v -> parts.get(v) == part);
  }

  private int[] rowsWhere(IntPredicate test) {
    return IntStream.range(0, rows()).filter(test).toArray();
  }
}
