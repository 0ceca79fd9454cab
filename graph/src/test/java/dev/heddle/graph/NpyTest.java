package dev.heddle.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NpyTest {
  private final Memory memory = new Memory();
  @TempDir Path folder = Path.of("");

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void matricesRoundTrip() throws IOException {
    SplittableRandom random = TestSeed.random(this);
    // The last one is longer than the writer's buffer.
    for (int[] shape : new int[][] {{1, 1}, {0, 3}, {3, 7}, {17, 33}, {500, 601}}) {
      Matrix matrix = Matrix.allocate(memory, shape[0], shape[1]);
      for (int row = 0; row < shape[0]; row++) {
        for (int col = 0; col < shape[1]; col++) {
          matrix.set(row, col, (float) random.nextGaussian());
        }
      }
      Path file = folder.resolve("m.npy");
      NpyWriter.write(file, matrix);
      try (Arena arena = Arena.ofConfined()) {
        Npy npy = Npy.map(file, arena);
        assertThat(npy.type()).isEqualTo(Npy.Type.F4);
        assertThat(npy.dimensions()).isEqualTo(2);
        assertThat(npy.size()).isEqualTo((long) shape[0] * shape[1]);
        Matrix read = Matrix.allocate(memory, shape[0], shape[1]);
        for (int row = 0; row < shape[0]; row++) {
          npy.copyRow(row, read);
        }
        assertThat(read.toArray()).isDeepEqualTo(matrix.toArray());
      }
      assertThat((Files.size(file) - 4L * shape[0] * shape[1]) % 64).isZero();
    }
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void vectorsRoundTrip() throws IOException {
    Path file = folder.resolve("v.npy");
    int[] ints = {3, -1, Integer.MAX_VALUE, Integer.MIN_VALUE};
    float[] floats = {0.5f, Float.NaN, -0.0f};
    try (Arena arena = Arena.ofConfined()) {
      NpyWriter.write(file, ints);
      Npy npy = Npy.map(file, arena);
      assertThat(npy.size(0)).isEqualTo(4);
      for (int i = 0; i < ints.length; i++) {
        assertThat(npy.longAt(i)).isEqualTo(ints[i]);
      }
      NpyWriter.write(file, floats);
      npy = Npy.map(file, arena);
      for (int i = 0; i < floats.length; i++) {
        assertThat(Float.compare(npy.floatAt(i), floats[i])).isZero();
      }
      NpyWriter.write(file, new int[0]);
      assertThat(Npy.map(file, arena).size()).isZero();
    }
  }

  @Test
  void everyTypeIsRead() {
    for (int version : new int[] {1, 2}) {
      Npy doubles = npy(new NpyBytes("<f8", "(2,)").version(version).doubles(0.1, -3));
      assertThat(doubles.floatAt(0)).isEqualTo(0.1f);
      assertThat(doubles.floatAt(1)).isEqualTo(-3);
      Npy floats = npy(new NpyBytes("<f4", "(1,)").version(version).floats(2.5f));
      assertThat(floats.floatAt(0)).isEqualTo(2.5f);
      Npy longs = npy(new NpyBytes("<i8", "(2,)").version(version).longs(1L << 40, -2));
      assertThat(longs.longAt(0)).isEqualTo(1L << 40);
      assertThat(longs.floatAt(1)).isEqualTo(-2);
      Npy ints = npy(new NpyBytes("<i4", "(1,)").version(version).ints(-7));
      assertThat(ints.longAt(0)).isEqualTo(-7);
      Npy bytes = npy(new NpyBytes("|u1", "(2,)").version(version).bytes(3, 255));
      assertThat(bytes.longAt(1)).isEqualTo(255);
      Npy booleans = npy(new NpyBytes("|b1", "(2,)").version(version).bytes(0, 1));
      assertThat(booleans.longAt(1)).isEqualTo(1);
    }
  }

  @Test
  void bothOrdersAreRead() {
    Npy rows = npy(new NpyBytes("<f4", "(2, 3)").floats(0, 1, 2, 3, 4, 5));
    Npy columns = npy(new NpyBytes("<f4", "(2, 3)").fortran().floats(0, 3, 1, 4, 2, 5));
    for (Npy npy : Arrays.asList(rows, columns)) {
      Matrix matrix = Matrix.allocate(memory, 2, 3);
      npy.copyRow(0, matrix);
      npy.copyRow(1, matrix);
      assertThat(matrix.toArray()).isDeepEqualTo(new float[][] {{0, 1, 2}, {3, 4, 5}});
    }
  }

  private static Npy npy(NpyBytes bytes) {
    return Npy.of("x.npy", bytes.toArray());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "<f2; (2,); element type '<f2' is not one of <f4 <f8 <i4 <i8 |u1 |b1",
        ">f4; (2,); element type '>f4' is not one of <f4 <f8 <i4 <i8 |u1 |b1",
        "<f4; (3,); truncated: 8 bytes of data, but shape (3,) needs 12",
        "<f4; (2, 3); truncated: 8 bytes of data, but shape (2, 3) needs 24",
        "<f4; (); too long: 8 bytes of data, but shape () needs 4",
        "<f4; (9999999999, 9999999999); shape (9999999999, 9999999999) is too large",
        "<f4; (99999999999999999999,); shape (99999999999999999999,) is not a list of sizes",
        "<f4; 2; NumPy header without shape",
      })
  void aWrongHeaderIsNamed(String type, String shape, String fault) {
    byte[] bytes = new NpyBytes(type, shape).floats(1, 2).toArray();
    assertThatThrownBy(() -> Npy.of("x.npy", bytes))
        .isInstanceOf(GraphFormatException.class)
        .hasMessage("x.npy: " + fault);
  }

  @Test
  void aFileThatEndsAnywhereIsRefused() {
    byte[] whole = new NpyBytes("<f4", "(2,)").floats(1, 2).toArray();
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> Npy.of("x.npy", part))
          .describedAs("%d of %d bytes", length, whole.length)
          .isInstanceOf(GraphFormatException.class)
          .hasMessageMatching("x.npy: (not a NumPy file|truncated.*)");
    }
  }

  @Test
  void aForeignFileIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("x.npy"), "hello, this is not an array");
    try (Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> Npy.map(file, arena)).hasMessage(file + ": not a NumPy file");
      Path none = folder.resolve("none.npy");
      assertThatThrownBy(() -> Npy.map(none, arena)).hasMessage(none + ": no such file");
      Path empty = Files.createFile(folder.resolve("empty.npy"));
      assertThatThrownBy(() -> Npy.map(empty, arena)).hasMessage(empty + ": not a NumPy file");
    }
    byte[] later = new NpyBytes("<f4", "(2,)").version(3).floats(1, 2).toArray();
    assertThatThrownBy(() -> Npy.of("x.npy", later))
        .hasMessage("x.npy: NumPy format version 3 is not 1 or 2");
  }

  @Test
  void floatsAreNotIntegers() {
    Npy npy = npy(new NpyBytes("<f4", "(1,)").floats(1));
    assertThatThrownBy(() -> npy.longAt(0)).hasMessage("x.npy: holds <f4, not integers");
  }
}
