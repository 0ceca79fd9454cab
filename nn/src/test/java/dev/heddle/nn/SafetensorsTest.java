package dev.heddle.nn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafetensorsTest {
  private final Memory memory = new Memory();
  @TempDir private Path folder;

  @AfterEach
  void free() {
    memory.close();
  }

  @Test
  void everythingComesBack() {
    SplittableRandom random = TestSeed.random(this);
    Map<String, Matrix> matrices = new LinkedHashMap<>();
    // The last is wider than the writer's buffer.
    for (int width : new int[] {1, 3, 7, 8, 9, 16, 17, 129, 70_001}) {
      Matrix m = Matrix.allocate(memory, 5, width);
      m.fill(Float.NaN);
      for (int i = 0; i < 5 * width; i++) {
        m.set(i / width, i % width, (float) random.nextDouble(-1, 1));
      }
      matrices.put("m" + width, m);
    }
    matrices.put("no rows", Matrix.allocate(memory, 0, 4));
    matrices.put(
        "odd", matrix(Float.NaN, -0f, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, Float.MAX_VALUE));
    var writer = new SafetensorsWriter();
    matrices.forEach(writer::add);
    Path file = folder.resolve("weights.safetensors");
    writer
        .add("ints", new int[] {1, -2, Integer.MAX_VALUE})
        .add("longs", new long[] {Long.MIN_VALUE, 5})
        .add("none", new int[0])
        .metadata("epoch", "12")
        .metadata("名\n", "\"ü\"")
        .write(file);

    try (Safetensors read = Safetensors.open(file)) {
      assertThat(read.metadata()).isEqualTo(Map.of("epoch", "12", "名\n", "\"ü\""));
      assertThat(read.tensors()).hasSize(matrices.size() + 3);
      assertThat(read.ints("ints")).containsExactly(1, -2, Integer.MAX_VALUE);
      assertThat(read.longs("longs")).containsExactly(Long.MIN_VALUE, 5);
      assertThat(read.ints("none")).isEmpty();
      matrices.forEach((name, m) -> {
        assertThat(Arrays.deepEquals(read.matrix(memory, name).toArray(), m.toArray()))
            .as(name)
            .isTrue();
        Matrix target = Matrix.allocate(memory, m.rows(), m.cols());
        read.read(name, target);
        assertThat(Arrays.deepEquals(target.toArray(), m.toArray())).as(name).isTrue();
      });
    }
  }

  @Test
  void bytesAreThoseOfTheFormat() throws IOException {
    Path file = folder.resolve("f");
    new SafetensorsWriter()
        .add("w", matrix(1, 2, 3))
        .add("n", new long[] {7})
        .metadata("by", "me")
        .write(file);
    String json =
        """
        {"__metadata__":{"by":"me"},\
        "n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},\
        "w":{"dtype":"F32","shape":[1,3],"data_offsets":[8,20]}}\
        """;
    int padded = (json.length() + 7) / 8 * 8;
    ByteBuffer expected = ByteBuffer.allocate(8 + padded + 20).order(ByteOrder.LITTLE_ENDIAN);
    expected.putLong(padded).put((json + " ".repeat(padded - json.length())).getBytes(UTF_8));
    expected.putLong(7).putFloat(1).putFloat(2).putFloat(3);
    assertThat(Files.readAllBytes(file)).isEqualTo(expected.array());
  }

  @Test
  void shapesOfOtherLibrariesBecomeMatrices() throws IOException {
    // A header of odd length leaves the tensors unaligned.
    String header =
        """
        { "s": {"dtype":"F32","shape":[],"data_offsets":[0,4]},
          "v": {"dtype":"F32","shape":[2],"data_offsets":[4,12], "more": [1]},
          "t": {"dtype":"F32","shape":[2,1,2],"data_offsets":[12,28]},
          "e": {"dtype":"F32","shape":[2,0],"data_offsets":[28,28]} }\n\n\
        """;
    header += " ".repeat(1 - header.length() % 2);
    ByteBuffer data = ByteBuffer.allocate(28).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < 7; i++) {
      data.putFloat(i);
    }
    try (Safetensors read = Safetensors.open(file(header, data.array()))) {
      assertThat(read.matrix(memory, "s").toArray()).isDeepEqualTo(new float[][] {{0}});
      assertThat(read.matrix(memory, "v").toArray()).isDeepEqualTo(new float[][] {{1, 2}});
      assertThat(read.matrix(memory, "t").toArray()).isDeepEqualTo(new float[][] {{3, 4}, {5, 6}});
      assertThatThrownBy(() -> read.matrix(memory, "e"))
          .isInstanceOf(WeightFileException.class)
          .hasMessageEndingWith("tensor 'e' has shape [2, 0], not what a matrix can hold");
      assertThatThrownBy(() -> read.read("t", Matrix.allocate(memory, 1, 4)))
          .hasMessageEndingWith("tensor 't' has shape [2, 1, 2], not 1 x 4");
      assertThatThrownBy(() -> read.ints("t"))
          .hasMessageEndingWith("tensor 't' is of F32, not I32");
      assertThatThrownBy(() -> read.ints("x")).hasMessageEndingWith("has no tensor 'x'");
    }
  }

  @Test
  void fileCutAnywhereIsRefused() throws IOException {
    byte[] whole = sample();
    for (int length = 0; length < whole.length; length++) {
      assertRefused(Arrays.copyOf(whole, length));
    }
    assertRefused(Arrays.copyOf(whole, whole.length + 1));
  }

  @Test
  void garbageIsRefusedOrRead() throws IOException {
    SplittableRandom random = TestSeed.random(this);
    byte[] whole = sample();
    int header = (int) ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getLong();
    for (int round = 0; round < 300; round++) {
      byte[] damaged = whole.clone();
      for (int hits = random.nextInt(1, 4); hits > 0; hits--) {
        damaged[random.nextInt(8 + header)] = (byte) random.nextInt(256);
      }
      Path file = Files.write(folder.resolve("damaged"), damaged);
      try (Safetensors read = Safetensors.open(file)) {
        // A changed name or string is as good as another; all that is there must be readable.
        read.tensors()
            .forEach((name, entry) -> {
              switch (entry.type()) {
                case F32 -> assertThat(read.matrix(memory, name).cols()).isPositive();
                case I32 -> assertThat(read.ints(name)).isNotNull();
                case I64 -> assertThat(read.longs(name)).isNotNull();
              }
            });
      } catch (WeightFileException e) {
        assertOneLine(e, file);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]                                   | does not begin with '{'",
        "{                                    | not valid JSON",
        "{} {}                                | not valid JSON",
        "{'a':1}                              | tensor 'a' is not described by an object",
        "{'__metadata__':{'a':1}}             | __metadata__ holds more than strings",
        "{'__metadata__':[]}                  | __metadata__ is not an object",
        "{'a':{'dtype':'F32','shape':[2]}}    | tensor 'a' has no data_offsets of two",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8,8]}}    | no data_offsets of two",
        "{'a':{'dtype':'F32','data_offsets':[0,8]}}                  | has no shape",
        "{'a':{'dtype':'F32','shape':[-2],'data_offsets':[0,8]}}     | has no shape",
        "{'a':{'dtype':'F32','shape':[2.0],'data_offsets':[0,8]}}    | has no shape",
        "{'a':{'dtype':'F32','shape':[1e400],'data_offsets':[0,8]}}  | has no shape",
        "{'a':{'dtype':'F32','shape':[99999999999999999999],'data_offsets':[0,8]}} | has no shape",
        "{'a':{'dtype':'F16','shape':[4],'data_offsets':[0,8]}}      | has dtype \"F16\"; known",
        "{'a':{'dtype':4,'shape':[4],'data_offsets':[0,8]}}          | has dtype 4; known",
        "{'a':{'shape':[4],'data_offsets':[0,8]}}                    | has dtype",
        "{'a':{'dtype':'F32','shape':[3],'data_offsets':[0,8]}}      | does not fill bytes [0, 8]",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[8,0]}}      | does not fill bytes [8, 0]",
        "{'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}      | tells of 4 bytes",
        "{'a':{'dtype':'F32','shape':[3],'data_offsets':[0,12]}}     | tells of 12 bytes",
        "{'a':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}      | begins at byte 4, not",
        "{'a':{'dtype':'F32','shape':[9223372036854775807,3],'data_offsets':[0,8]}} | too large",
      })
  void headerThatIsWrongIsRefused(String header, String reason) throws IOException {
    Path file = file(header.replace('\'', '"'), new byte[8]);
    assertThatThrownBy(() -> Safetensors.open(file))
        .isInstanceOf(WeightFileException.class)
        .hasMessageContaining(reason)
        .satisfies(e -> assertOneLine(e, file));
  }

  @Test
  void tensorsThatOverlapOrRepeatAreRefused() throws IOException {
    String a = "\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}";
    String b = "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}";
    Path overlap = file("{" + a + "," + b + "}", new byte[8]);
    assertThatThrownBy(() -> Safetensors.open(overlap))
        .hasMessageContaining(
            "tensor 'b' begins at byte 4, not where the one before it ends, at 8");
    Path repeated = file("{" + a + "," + a + "}", new byte[8]);
    assertThatThrownBy(() -> Safetensors.open(repeated)).hasMessageContaining("not valid JSON");
  }

  @Test
  void filesThatCannotBeOpenedAreTold() {
    assertThatThrownBy(() -> Safetensors.open(folder.resolve("none")))
        .isInstanceOf(WeightFileException.class)
        .hasMessage(folder.resolve("none") + ": no such file");
    assertThatThrownBy(() -> Safetensors.open(folder)).isInstanceOf(WeightFileException.class);
    assertThatThrownBy(() -> new SafetensorsWriter().write(folder.resolve("no/f")))
        .isInstanceOf(WeightFileException.class)
        .hasMessage(folder.resolve("no/f") + ": cannot be written: its folder does not exist");
  }

  @Test
  void failedWriteLeavesTheOldFileAlone() throws IOException {
    Path file = folder.resolve("f");
    new SafetensorsWriter().add("w", matrix(1, 2)).write(file);
    byte[] before = Files.readAllBytes(file);
    var writer = new SafetensorsWriter();
    try (Memory gone = new Memory()) {
      writer.add("w", Matrix.allocate(gone, 300, 300));
    }
    assertThatThrownBy(() -> writer.write(file)).isInstanceOf(IllegalStateException.class);
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void namesAreTakenOnce() {
    var writer = new SafetensorsWriter().add("w", new int[1]);
    for (String name : List.of("w", "__metadata__")) {
      assertThatThrownBy(() -> writer.add(name, new int[1]))
          .hasMessage("the name '" + name + "' is taken");
    }
  }

  private byte[] sample() throws IOException {
    Path file = folder.resolve("sample");
    new SafetensorsWriter()
        .add("a", matrix(1, 2, 3))
        .add("b", new long[] {4})
        .add("c", new int[] {5, 6})
        .metadata("k", "v")
        .write(file);
    return Files.readAllBytes(file);
  }

  private void assertRefused(byte[] bytes) throws IOException {
    Path file = Files.write(folder.resolve("refused"), bytes);
    assertThatThrownBy(() -> Safetensors.open(file))
        .as("%d bytes", bytes.length)
        .isInstanceOf(WeightFileException.class)
        .satisfies(e -> assertOneLine(e, file));
  }

  private static void assertOneLine(Throwable e, Path file) {
    assertThat(e.getMessage()).startsWith(file + ": ").doesNotContain("\n");
  }

  private Path file(String header, byte[] data) throws IOException {
    byte[] json = header.getBytes(UTF_8);
    ByteBuffer bytes = ByteBuffer.allocate(8 + json.length + data.length);
    bytes.order(ByteOrder.LITTLE_ENDIAN).putLong(json.length).put(json).put(data);
    return Files.write(folder.resolve("made"), bytes.array());
  }

  private Matrix matrix(float... row) {
    return Matrix.of(memory, new float[][] {row});
  }
}
