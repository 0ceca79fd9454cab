package dev.heddle.graph.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores that are whole by their checksums, but hold what no graph can. */
class StoreContentTest {
  @TempDir(factory = InMemoryDir.class)
  private Path folder;

  /** The arrays of a path 0 → 1 → 2 with two features, by name; a test changes them. */
  private static Map<String, Object> arrays() {
    Map<String, Object> arrays = new LinkedHashMap<>();
    arrays.put("in.offsets", new long[] {0, 0, 1, 2});
    arrays.put("in.ids", new int[] {0, 1});
    arrays.put("in.weights", new float[] {1, 2});
    arrays.put("out.offsets", new long[] {0, 1, 2, 2});
    arrays.put("out.ids", new int[] {1, 2});
    arrays.put("out.weights", new float[] {1, 2});
    arrays.put("features.offsets", new long[] {0, 1, 2, 2});
    arrays.put("features.ids", new int[] {0, 1});
    arrays.put("features.weights", new float[] {5, 6});
    arrays.put("features.columns.offsets", new long[] {0, 1, 2});
    arrays.put("features.columns.ids", new int[] {0, 1});
    arrays.put("features.columns.weights", new float[] {5, 6});
    arrays.put("labels", new int[] {0, 1, -1});
    arrays.put("split.0.train", new int[] {0});
    arrays.put("split.0.valid", new int[] {1});
    arrays.put("split.0.test", new int[] {});
    arrays.put("ids", new long[] {30, 10, 20});
    arrays.put("ids.sorted", new int[] {1, 2, 0});
    arrays.put("partition.2", new int[] {0, 1, 1});
    return arrays;
  }

  private void write(Map<String, Object> arrays, boolean symmetric, @Nullable LabelInfo labels) {
    try (StoreDraft draft = StoreDraft.begin(folder.resolve("store"), true)) {
      arrays.forEach((name, values) -> {
        try (ArrayWriter writer = writer(draft, name, values)) {
          writer.write(bytes(values));
          writer.finish();
        }
      });
      draft.commit("crafted", symmetric, labels);
    }
  }

  private static ArrayWriter writer(StoreDraft draft, String name, Object values) {
    return switch (values) {
      case long[] _ -> draft.vector(name, ElementType.INT64);
      case int[] _ -> draft.vector(name, ElementType.INT32);
      case float[] _ -> draft.vector(name, ElementType.FLOAT32);
      case float[][] rows -> draft.matrix(name, rows[0].length);
      default -> draft.vector(name, ElementType.UINT8);
    };
  }

  private static byte[] bytes(Object values) {
    ByteBuffer buffer = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
    switch (values) {
      case long[] longs -> {
        for (long value : longs) {
          buffer.putLong(value);
        }
      }
      case int[] ints -> {
        for (int value : ints) {
          buffer.putInt(value);
        }
      }
      case float[] floats -> {
        for (float value : floats) {
          buffer.putFloat(value);
        }
      }
      case float[][] rows -> {
        for (float[] row : rows) {
          int at = buffer.position();
          for (float value : row) {
            buffer.putFloat(value);
          }
          buffer.position(at + 32);
        }
      }
      default -> buffer.put((byte[]) values);
    }
    byte[] bytes = new byte[buffer.position()];
    buffer.get(0, bytes);
    return bytes;
  }

  private void fails(String file, String fault, Consumer<Map<String, Object>> change) {
    fails(new LabelInfo(LabelInfo.Kind.CLASS, 2), file, fault, change);
  }

  private void fails(
      LabelInfo labels, String file, String fault, Consumer<Map<String, Object>> change) {
    Map<String, Object> arrays = arrays();
    change.accept(arrays);
    write(arrays, false, labels);
    Path store = folder.resolve("store");
    assertThatThrownBy(() -> Store.open(store).verify())
        .isInstanceOf(GraphFormatException.class)
        .hasMessage(store.resolve(file) + ": " + fault);
    assertThatThrownBy(() -> Graph.open(store).close())
        .as("opening it")
        .isInstanceOf(GraphFormatException.class)
        .hasMessage(store.resolve(file) + ": " + fault);
  }

  @Test
  void contentsAreCheckedOnceAndAgainWhenAFileChanged() throws IOException {
    write(arrays(), false, new LabelInfo(LabelInfo.Kind.CLASS, 2));
    Path store = folder.resolve("store");
    Graph.open(store).close();
    FileTime noted = Files.getLastModifiedTime(store.resolve(".checked"));
    Graph.open(store).close();
    assertThat(Files.getLastModifiedTime(store.resolve(".checked"))).isEqualTo(noted);
    byte[] mark = Files.readAllBytes(store.resolve(".checked"));
    Map<String, Object> arrays = arrays();
    arrays.put("in.ids", new int[] {0, 7});
    write(arrays, false, new LabelInfo(LabelInfo.Kind.CLASS, 2));
    Files.write(store.resolve(".checked"), mark);
    assertThatThrownBy(() -> Graph.open(store).close())
        .hasMessage(store.resolve("in.ids") + ": row 2 has 7: out of range");
  }

  @Test
  void names() {
    fails(
        new LabelInfo(LabelInfo.Kind.CLASS, 2, List.of("one")),
        "manifest.json",
        "labels of width 2 have 1 names",
        _ -> {});
    fails(
        new LabelInfo(LabelInfo.Kind.CLASS, 2, List.of("one", "one")),
        "manifest.json",
        "labels have the name 'one' twice",
        _ -> {});
  }

  @Test
  void theCraftedStoreIsRight() {
    write(arrays(), false, new LabelInfo(LabelInfo.Kind.CLASS, 2));
    Store.open(folder.resolve("store")).verify();
  }

  @Test
  void arcs() {
    fails(
        "in.offsets", "row 1 goes from 2 to 1", a -> a.put("in.offsets", new long[] {0, 2, 1, 2}));
    fails(
        "in.offsets", "row 1 goes from 0 to 3", a -> a.put("in.offsets", new long[] {0, 0, 3, 2}));
    fails("in.offsets", "ends with 1, not 2", a -> a.put("in.offsets", new long[] {0, 0, 1, 1}));
    fails("in.offsets", "does not begin with 0", a -> a.put("in.offsets", new long[] {1, 1, 1, 2}));
    fails("in.ids", "row 1 has 3: out of range", a -> a.put("in.ids", new int[] {3, 1}));
    fails("in.ids", "row 2 has -1: out of range", a -> a.put("in.ids", new int[] {0, -1}));
    fails(
        "in.ids",
        "row 1 has 0 after 1",
        a -> {
          a.put("in.offsets", new long[] {0, 0, 2, 2});
          a.put("in.ids", new int[] {1, 0});
        });
    fails("in.weights", "value 1 is NaN", a -> a.put("in.weights", new float[] {1, Float.NaN}));
    fails(
        "out.ids",
        "is not the transpose: it lacks the arc between 1 and 2",
        a -> a.put("out.ids", new int[] {1, 1}));
    fails(
        "out.ids",
        "is not the transpose: it lacks the arc between 0 and 1",
        a -> a.put("out.weights", new float[] {3, 2}));
    fails("out.ids", "only one of the two directions has weights", a -> a.remove("out.weights"));
  }

  @Test
  void symmetry() {
    Map<String, Object> arrays = arrays();
    arrays.keySet().removeIf(name -> name.startsWith("out."));
    write(arrays, true, new LabelInfo(LabelInfo.Kind.CLASS, 2));
    Path store = folder.resolve("store");
    assertThatThrownBy(() -> Store.open(store).verify())
        .hasMessage(
            store.resolve("in.ids") + ": is not the transpose: it lacks the arc between 0 and 1");
  }

  @Test
  void features() {
    fails(
        "features.weights",
        "value 0 is Infinity",
        a -> a.put("features.weights", new float[] {Float.POSITIVE_INFINITY, 6}));
    fails(
        "features.columns.ids",
        "is not the transpose: it lacks the arc between 1 and 1",
        a -> a.put("features.columns.ids", new int[] {0, 0}));
    fails(
        "features",
        "row 2, column 1 is NaN",
        a -> {
          a.keySet().removeIf(name -> name.startsWith("features."));
          a.put("features", new float[][] {{1, 2}, {3, 4}, {5, Float.NaN}});
        });
  }

  @Test
  void labels() {
    fails("labels", "vertex 1 has label 2 of 2 classes", a -> a.put("labels", new int[] {0, 2, 0}));
    fails(
        "labels", "vertex 0 has label -2 of 2 classes", a -> a.put("labels", new int[] {-2, 0, 0}));
    fails(
        new LabelInfo(LabelInfo.Kind.MULTI, 1),
        "labels",
        "vertex 1 has 2.0 for label 0",
        a -> a.put("labels", new float[][] {{0}, {2}, {1}}));
    fails(
        new LabelInfo(LabelInfo.Kind.REAL, 1),
        "labels",
        "row 0, column 0 is -Infinity",
        a -> a.put("labels", new float[][] {{Float.NEGATIVE_INFINITY}, {2}, {1}}));
  }

  @Test
  void splits() {
    fails(
        "split.0.valid",
        "vertex 0 is also in another part",
        a -> a.put("split.0.valid", new int[] {0}));
    fails("split.0.train", "value 0 is 3, after -1", a -> a.put("split.0.train", new int[] {3}));
    fails("split.0.test", "vertex 2 has no label", a -> a.put("split.0.test", new int[] {2}));
    fails("split.0.train", "value 1 is 0, after 1", a -> a.put("split.0.train", new int[] {1, 0}));
  }

  @Test
  void idsAndParts() {
    fails(
        "ids.sorted",
        "vertices 2 and 0 are in the wrong order or called the same",
        a -> a.put("ids", new long[] {20, 10, 20}));
    fails("ids.sorted", "value 2 is no vertex: 7", a -> a.put("ids.sorted", new int[] {1, 2, 7}));
    fails(
        "ids.offsets",
        "value 3 is 2, after 2",
        a -> {
          a.put("ids", new byte[] {'c', 'a', 'b'});
          a.put("ids.offsets", new long[] {0, 1, 2, 2});
        });
    fails(
        "partition.2",
        "vertex 1 is in part -1 of 2",
        a -> a.put("partition.2", new int[] {0, -1, 0}));
  }

  @Test
  void manifests() {
    fails("manifest.json", "the array out.ids is missing", a -> a.remove("out.ids"));
    fails(
        "manifest.json", "out.ids is not int32 of length 2", a -> a.put("out.ids", new int[] {1}));
    fails(
        "manifest.json",
        "in.offsets is not int64 of length 3",
        a -> a.put("in.offsets", new int[] {0, 1, 2}));
    fails("manifest.json", "labels is not int32 of length 3", a -> a.put("labels", new int[] {0}));
    fails("manifest.json", "the array split.0.test is missing", a -> a.remove("split.0.test"));
    fails(
        "manifest.json", "the array colours has no meaning", a -> a.put("colours", new int[] {0}));
    fails(
        "manifest.json",
        "arrays of the sparse features are missing",
        a -> a.remove("features.ids"));
    fails(
        "manifest.json",
        "features both dense and sparse",
        a -> a.put("features", new float[][] {{1}, {2}, {3}}));
    fails(
        "manifest.json",
        "features is not a matrix of 3 rows",
        a -> {
          a.keySet().removeIf(name -> name.startsWith("features."));
          a.put("features", new float[][] {{1}, {2}});
        });
    fails(
        "manifest.json",
        "0 vertices: there must be 1 to 2147483583",
        a -> a.put("in.offsets", new long[] {0}));
    fails(
        "manifest.json",
        "split.0.train has more members than there are vertices",
        a -> a.put("split.0.train", new int[] {0, 1, 2, 3}));
  }
}
