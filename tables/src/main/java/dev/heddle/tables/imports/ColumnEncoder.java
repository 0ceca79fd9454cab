package dev.heddle.tables.imports;

import dev.heddle.graph.ColumnTreatment;
import dev.heddle.kernel.Draws;
import dev.heddle.tables.Rows;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Writes the features that a cell becomes, by what was learnt. */
final class ColumnEncoder {
  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}]+");
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;

  private final CellValues cells;
  private final ColumnTreatment treatment;
  private final int first;
  private final double[] row;
  private final Map<String, Integer> categories = new HashMap<>();
  private long unknown;

  /**
   * For one column.
   *
   * @param first its first feature
   */
  ColumnEncoder(CellValues cells, ColumnTreatment treatment, int first) {
    this.cells = cells;
    this.treatment = treatment;
    this.first = first;
    this.row = new double[Math.max(1, treatment.values())];
    treatment.categories().forEach(name -> categories.put(name, categories.size()));
  }

  /**
   * Puts a row's features where there are zeros.
   *
   * @param rows at the row; null for a vertex that has none, whose cells are all empty
   */
  void encode(@Nullable Rows rows, float[] features) {
    boolean there = treatment.kind().numeric() ? numbers(rows, features) : text(rows, features);
    if (!there && treatment.indicator()) {
      features[first + treatment.width() - 1] = 1;
    }
  }

  private boolean numbers(@Nullable Rows rows, float[] features) {
    boolean there = rows != null && cells.numbers(rows, row);
    for (int i = 0; i < treatment.values(); i++) {
      double value = there ? row[i] : treatment.fill().get(i);
      if (!treatment.means().isEmpty()) {
        value = (value - treatment.means().get(i)) / treatment.deviations().get(i);
      }
      features[first + i] = (float) value;
    }
    return there;
  }

  private boolean text(@Nullable Rows rows, float[] features) {
    String text = rows == null ? null : cells.text(rows);
    if (text == null) {
      return false;
    }
    switch (treatment.kind()) {
      case CATEGORY -> {
        Integer place = categories.get(text);
        if (place == null) {
          unknown++;
        } else {
          features[first + place] = 1;
        }
      }
      case HASHED -> features[first + bucket(text)] = 1;
      default -> words(text, features);
    }
    return true;
  }

  /** Counts of words, as a vector of length 1. */
  private void words(String text, float[] features) {
    double squares = 0;
    for (String word : BETWEEN_WORDS.split(text.toLowerCase(Locale.ROOT), -1)) {
      if (!word.isEmpty()) {
        int at = first + bucket(word);
        squares += 2 * features[at] + 1;
        features[at]++;
      }
    }
    float scale = squares == 0 ? 0 : (float) (1 / Math.sqrt(squares));
    for (int i = first; i < first + treatment.buckets(); i++) {
      features[i] *= scale;
    }
  }

  /** FNV-1a of the UTF-8 bytes, mixed. */
  private int bucket(String text) {
    long hash = FNV_OFFSET;
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xFF)) * FNV_PRIME;
    }
    return (int) Long.remainderUnsigned(Draws.mix(hash), treatment.buckets());
  }

  /** Cells whose category no training row had; they have none of the features. */
  long unknown() {
    return unknown;
  }
}
