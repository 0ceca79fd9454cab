package dev.heddle.cli;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * The ways in which a store can be wrong though every checksum is right: values of its arrays, at
 * the beginning, in the middle and at the end, and what the manifest says. A new array, or field of
 * the manifest, adds its ways here.
 */
final class StoreCorruptions {
  private final StoreSurgeon healthy;
  private final Map<String, Consumer<StoreSurgeon>> all = new TreeMap<>();

  private StoreCorruptions(StoreSurgeon healthy) {
    this.healthy = healthy;
  }

  /** Those that a store can have, by name. */
  static Map<String, Consumer<StoreSurgeon>> of(StoreSurgeon healthy) {
    StoreCorruptions made = new StoreCorruptions(healthy);
    made.arrays();
    made.manifest();
    return made.all;
  }

  private void arrays() {
    for (String prefix : List.of("in", "out", "features", "features.columns")) {
      longs(prefix + ".offsets", -1, 1L << 40, Long.MIN_VALUE);
      ints(prefix + ".ids", -1, Integer.MAX_VALUE, 999);
      floats(prefix + ".weights", Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY);
      swapped(prefix + ".ids");
    }
    shorts("in.types", (short) 0xFFFF, (short) 99);
    floats("features", Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY);
    if (healthy.has("labels") && !healthy.isFloat("labels")) {
      ints("labels", -2, Integer.MIN_VALUE, 999);
    } else {
      floats("labels", Float.NaN, Float.POSITIVE_INFINITY);
    }
    for (String part : List.of("train", "valid", "test")) {
      ints("split.0." + part, -1, 999, Integer.MAX_VALUE);
      swapped("split.0." + part);
    }
    all.put(
        "split.0.valid overlaps train",
        s -> s.change("split.0.valid", d -> d.putInt(0, s.data("split.0.train").getInt(0))));
    ints("ids.sorted", -1, 999, Integer.MAX_VALUE);
    swapped("ids.sorted");
    longs("ids.offsets", -1, 1L << 40);
    ints("partition.2", -1, 2, Integer.MAX_VALUE);
  }

  private interface Put {
    void at(ByteBuffer data, int index);
  }

  /** Puts a value at the beginning, in the middle and at the end of an array that is there. */
  private void places(String array, Object value, Put put) {
    if (!healthy.has(array) || healthy.rows(array) == 0) {
      return;
    }
    int rows = healthy.rows(array);
    Map<String, Integer> places = new TreeMap<>();
    places.put("first", 0);
    places.put("middle", rows / 2);
    places.put("last", rows - 1);
    places.forEach((place, row) ->
        all.put(
            array + " " + place + " = " + value,
            s -> s.change(array, d -> put.at(d, row * s.stride(array)))));
  }

  private void longs(String array, long... values) {
    for (long value : values) {
      places(array, value, (d, i) -> d.putLong(i * Long.BYTES, value));
    }
  }

  private void ints(String array, int... values) {
    for (int value : values) {
      places(array, value, (d, i) -> d.putInt(i * Integer.BYTES, value));
    }
  }

  private void shorts(String array, short... values) {
    for (short value : values) {
      places(array, value & 0xFFFF, (d, i) -> d.putShort(i * Short.BYTES, value));
    }
  }

  private void floats(String array, float... values) {
    for (float value : values) {
      places(array, value, (d, i) -> d.putFloat(i * Float.BYTES, value));
    }
  }

  /** The first two elements in each other's place: out of order, or of other vertices. */
  private void swapped(String array) {
    if (healthy.has(array) && healthy.rows(array) > 1) {
      all.put(
          array + " swapped",
          s ->
              s.change(
                  array,
                  d -> {
                    int last = (s.rows(array) - 1) * Integer.BYTES;
                    int first = d.getInt(0);
                    d.putInt(0, d.getInt(last)).putInt(last, first);
                  }));
    }
  }

  private void manifest() {
    text("version 2", "\"version\" : 1,", "\"version\" : 2,");
    text("version 0x", "\"version\" : 1,", "\"version\" : 0x1,");
    text("another format", "heddle-graph-store", "table");
    for (String field : List.of("vertices", "arcs")) {
      for (String value : List.of("0", "-1", "7", "99999999999", "1e3", "\"24\"", "null")) {
        regex(field + " = " + value, "\"" + field + "\" : \\d+", "\"" + field + "\" : " + value);
      }
    }
    regex("symmetric turned", "\"symmetric\" : (true|false)", "\"symmetric\" : perhaps");
    if (healthy.has("labels")) {
      for (String width : List.of("1", "-1", "2147483647", "99999999999")) {
        regex("label width " + width, "\"width\" : \\d+", "\"width\" : " + width);
      }
      regex("label kind", "\"kind\" : \"[a-z]+\"", "\"kind\" : \"colour\"");
      regex("one name too few", "\"names\" : \\[ [^,\\]]+, ", "\"names\" : [ ");
      regex("a name twice", "\"names\" : \\[ ([^,\\]]+), [^,\\]]+", "\"names\" : [ $1, $1");
    }
    regex("scaling", "\"scaling\" : \"[a-z-]+\"", "\"scaling\" : \"log\"");
    regex("no arc types", "\"arcTypes\" : \\[[^\\]]+\\]", "\"arcTypes\" : [ ]");
    regex("one arc type", "\"arcTypes\" : \\[ ([^,]+),[^\\]]+\\]", "\"arcTypes\" : [ $1 ]");
    for (String array : List.of("in.ids", "features", "labels", "split.0.train", "ids.sorted")) {
      if (healthy.has(array)) {
        String entry = "(\"" + array.replace(".", "\\.") + "\" : \\{[^}]*)";
        regex(array + " type", entry + "\"type\" : \"[a-z0-9]+\"", "$1\"type\" : \"int128\"");
        regex(array + " of bytes", entry + "\"type\" : \"[a-z0-9]+\"", "$1\"type\" : \"uint8\"");
        regex(array + " rows", entry + "\"rows\" : \\d+", "$1\"rows\" : 9223372036854775807");
        regex(array + " columns", entry + "\"columns\" : \\d+", "$1\"columns\" : 2147483647");
        regex(array + " stride", entry + "\"stride\" : \\d+", "$1\"stride\" : 0");
        regex(array + " bytes", entry + "\"bytes\" : \\d+", "$1\"bytes\" : 64");
        all.put(array + " is missing", s -> s.remove(array));
      }
    }
    text("an array of another folder", "\"in.ids\" :", "\"../in.ids\" :");
    text("an array without meaning", "\"in.ids\" :", "\"in.colours\" :");
    text("nested", "\"format\" :", "\"deep\" : " + "[".repeat(5000) + ",\n  \"format\" :");
  }

  private void text(String name, String from, String to) {
    change(name, text -> text.replace(from, to));
  }

  private void regex(String name, String from, String to) {
    change(name, text -> text.replaceFirst(from, to));
  }

  /** Those that change nothing, of what this store has not, are left out. */
  private void change(String name, UnaryOperator<String> how) {
    List<Boolean> changes = new ArrayList<>();
    healthy.manifest(text -> {
      changes.add(!how.apply(text).equals(text));
      return text;
    });
    if (changes.getFirst()) {
      all.put("manifest: " + name, s -> s.manifest(how));
    }
  }
}
