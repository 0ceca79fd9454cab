package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UniformColumnsTest {
  private static final int COLS = 1000;
  private static final long KEY = 42;

  private final Memory memory = new Memory();

  @AfterEach
  void free() {
    memory.close();
  }

  /** Rows of every degree up to 200: column c of row r is 3 r + c. */
  private Csr csr() {
    int[][] columns =
        IntStream.range(0, 200)
            .mapToObj(r -> IntStream.range(0, r).map(c -> 3 * r + c).toArray())
            .toArray(int[][]::new);
    return Csr.of(memory, COLS, columns);
  }

  /** Floyd's algorithm as it is written down, with a set. */
  private static int[] reference(long key, int row, int degree, int most) {
    if (degree <= most) {
      return IntStream.range(0, degree).map(c -> 3 * row + c).toArray();
    }
    BitSet taken = new BitSet();
    int[] chosen = new int[most];
    long own = Draws.at(key, row);
    for (int i = 0; i < most; i++) {
      int last = degree - most + i;
      int position = Draws.below(Draws.at(own, last), last + 1);
      chosen[i] = taken.get(position) ? last : position;
      taken.set(chosen[i]);
    }
    return Arrays.stream(chosen).map(p -> 3 * row + p).toArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 15, 63, 64})
  void equalsFloydsAlgorithmWithASet(int most) {
    Csr csr = csr();
    int[] listed = IntStream.range(0, 300).map(i -> (i * 77) % 200).toArray();
    MemorySegment offsets = memory.allocateLongs(listed.length + 1L);
    long at = 0;
    for (int i = 0; i < listed.length; i++) {
      offsets.setAtIndex(JAVA_LONG, i, at);
      at += Math.min(most, csr.degree(listed[i]));
    }
    MemorySegment into = memory.allocateInts(at);
    UniformColumns columns = new UniformColumns(csr, most);
    RowIds rows = RowIds.of(memory, listed);
    columns.draw(KEY, rows, 0, 130, offsets, into);
    columns.draw(KEY, rows, 130, listed.length, offsets, into);
    MemorySegment byRow = memory.allocateInts(at);
    MemorySegment keys = memory.allocateLongs(listed.length);
    for (int i = 0; i < listed.length; i++) {
      keys.setAtIndex(JAVA_LONG, i, i * 31L);
    }
    columns.draw(keys, rows, 0, 130, offsets, byRow);
    columns.draw(keys, rows, 130, listed.length, offsets, byRow);
    for (int i = 0; i < listed.length; i++) {
      int row = listed[i];
      int degree = (int) csr.degree(row);
      long first = offsets.getAtIndex(JAVA_LONG, i);
      assertDrawn(into, first, reference(KEY, row, degree, most));
      assertDrawn(byRow, first, reference(i * 31L, row, degree, most));
    }
  }

  private static void assertDrawn(MemorySegment into, long first, int[] expected) {
    for (int j = 0; j < expected.length; j++) {
      assertThat(into.getAtIndex(JAVA_INT, first + j)).isEqualTo(expected[j]);
    }
  }

  @Test
  void positionsAreThoseOfTheColumns() {
    MemorySegment into = memory.allocateInts(70);
    for (int degree : new int[] {6, 64, 65, 199}) {
      UniformColumns.positions(degree, 5, Draws.at(KEY, degree), into, 3);
      int[] drawn = into.asSlice(12, 20).toArray(JAVA_INT);
      assertThat(Arrays.stream(drawn).map(p -> 3 * degree + p).toArray())
          .isEqualTo(reference(KEY, degree, degree, 5));
    }
  }

  @Test
  void refusesRowsThatAreNoneAndTargetsThatAreTooSmall() {
    UniformColumns columns = new UniformColumns(csr(), 5);
    MemorySegment offsets = memory.allocateLongs(2);
    MemorySegment into = memory.allocateInts(16);
    RowIds stranger = RowIds.of(memory, new int[] {200});
    assertThatThrownBy(() -> columns.draw(KEY, stranger, 0, 1, offsets, into))
        .isInstanceOf(IndexOutOfBoundsException.class);
    RowIds last = RowIds.of(memory, new int[] {199});
    MemorySegment noKey = memory.allocate(64).asSlice(0, 4);
    assertThatThrownBy(() -> columns.draw(noKey, last, 0, 1, offsets, into))
        .isInstanceOf(IndexOutOfBoundsException.class);
    offsets.setAtIndex(JAVA_LONG, 0, 12);
    assertThatThrownBy(() -> columns.draw(KEY, last, 0, 1, offsets, into))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> UniformColumns.positions(5, 5, KEY, into, 0))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new UniformColumns(csr(), 65))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("65");
  }
}
