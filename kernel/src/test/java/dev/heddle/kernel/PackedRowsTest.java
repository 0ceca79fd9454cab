package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PackedRowsTest {
  private static final int ROWS = 1500;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  /** Two thirds of the rows, in random order. */
  private int[] someRows() {
    int[] rows = new int[ROWS];
    for (int i = 0; i < ROWS; i++) {
      int j = random.nextInt(i + 1);
      rows[i] = rows[j];
      rows[j] = i;
    }
    return Arrays.copyOf(rows, ROWS * 2 / 3);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129})
  void packsUnpacksAndAdds(int cols) {
    int[] rows = someRows();
    PackedRows packed = PackedRows.of(memory, rows);
    Matrix x = TestMatrix.random(memory, random, ROWS, cols);
    Matrix y = TestMatrix.random(memory, random, ROWS, cols);
    MemorySegment buffer = memory.allocate(packed.bytes(cols));
    float[][] before = y.toArray();
    for (PackKernels kernels : new PackKernels[] {new ScalarPack(), new SimdPack()}) {
      packed.pack(team, x, buffer); // Also aims the kernels.
      buffer.fill((byte) 0);
      kernels.pack(packed, 0, rows.length);
      for (int i = 0; i < rows.length; i++) {
        for (int c = 0; c < cols; c++) {
          assertThat(buffer.getAtIndex(JAVA_FLOAT, (long) i * cols + c))
              .isEqualTo(x.get(rows[i], c));
        }
      }
      Matrix back = TestMatrix.nan(memory, ROWS, cols);
      packed.unpack(team, buffer, back);
      back.fill(Float.NaN);
      kernels.unpack(packed, 0, rows.length);
      Matrix sum = TestMatrix.copy(memory, y);
      packed.add(team, buffer, sum);
      Matrix byKernel = TestMatrix.copy(memory, y);
      packed.add(team, buffer, byKernel);
      Matrix twice = TestMatrix.copy(memory, byKernel);
      packed.add(team, buffer, twice);
      kernels.add(packed, 0, rows.length);
      boolean[] listed = new boolean[ROWS];
      for (int row : rows) {
        listed[row] = true;
        for (int c = 0; c < cols; c++) {
          float once = before[row][c] + x.get(row, c);
          assertThat(back.get(row, c)).isEqualTo(x.get(row, c));
          assertThat(sum.get(row, c)).isEqualTo(once);
          assertThat(twice.get(row, c)).isEqualTo(once + x.get(row, c) + x.get(row, c));
        }
      }
      for (int row = 0; row < ROWS; row++) {
        if (!listed[row]) {
          assertThat(back.get(row, cols - 1)).as("a row not listed").isNaN();
          assertThat(sum.get(row, cols - 1)).isEqualTo(before[row][cols - 1]);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8, 9, 1000})
  void addsFloatsFromAnyOffset(int count) {
    for (PackKernels kernels : new PackKernels[] {new ScalarPack(), new SimdPack()}) {
      MemorySegment x = memory.allocateFloats(count + 5);
      MemorySegment y = memory.allocateFloats(count + 5);
      for (int i = 0; i < count + 5; i++) {
        x.setAtIndex(JAVA_FLOAT, i, i);
        y.setAtIndex(JAVA_FLOAT, i, 100 * i);
      }
      kernels.addFloats(y, 4, x, 12, count);
      for (int i = 0; i < count + 5; i++) {
        float expected = 100 * i + (i >= 1 && i < count + 1 ? i + 2 : 0);
        assertThat(y.getAtIndex(JAVA_FLOAT, i)).isEqualTo(expected);
      }
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    PackedRows rows = PackedRows.of(memory, new int[] {0, 5});
    MemorySegment buffer = memory.allocate(1000);
    Matrix small = Matrix.allocate(memory, 5, 3);
    assertThatThrownBy(() -> rows.pack(team, small, buffer)).hasMessageContaining("5 x 3");
    Matrix fits = Matrix.allocate(memory, 6, 3);
    MemorySegment few = memory.allocate(1).asSlice(0, 23);
    assertThatThrownBy(() -> rows.unpack(team, few, fits)).hasMessageContaining("23 bytes");
    assertThatThrownBy(() -> PackedRows.of(memory, new int[] {-1})).hasMessageContaining("-1");
  }

  @Test
  void knowsWhichRowsLieAsTheyTravel() {
    assertThat(PackedRows.of(memory, new int[] {4, 5, 6}).liesPacked(16)).isTrue();
    assertThat(PackedRows.of(memory, new int[] {4, 5, 6}).liesPacked(15)).isFalse();
    assertThat(PackedRows.of(memory, new int[] {4, 6, 5}).liesPacked(16)).isFalse();
    assertThat(PackedRows.of(memory, new int[0]).liesPacked(16)).isTrue();
  }
}
