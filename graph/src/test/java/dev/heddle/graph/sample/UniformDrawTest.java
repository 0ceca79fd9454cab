package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.UniformColumns;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many vertices at once draw what each does by itself. */
class UniformDrawTest {
  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 10, 64})
  void columnsAreThoseOfSingleDraws(int fanout) {
    Csr in = RandomArcs.of(memory, random, 300, true);
    UniformDraw draw = new UniformDraw(in, fanout, false);
    int[] listed = random.ints(700, 0, 300).toArray();
    long[] keys = random.longs(3).toArray();
    MemorySegment keyOfRow = memory.allocateLongs(listed.length);
    MemorySegment offsets = memory.allocateLongs(listed.length + 1L);
    for (int row = 0; row < listed.length; row++) {
      long key = keys[row % keys.length];
      keyOfRow.setAtIndex(JAVA_LONG, row, key);
      long at = offsets.getAtIndex(JAVA_LONG, row);
      offsets.setAtIndex(JAVA_LONG, row + 1L, at + draw.count(listed[row], key));
    }
    long total = offsets.getAtIndex(JAVA_LONG, listed.length);

    RowIds rows = RowIds.of(memory, listed);
    UniformColumns columns = Objects.requireNonNull(draw.columns());
    MemorySegment alike = memory.allocateInts(total);
    columns.draw(keys[0], rows, 0, listed.length, offsets, alike);
    MemorySegment apart = memory.allocateInts(total);
    columns.draw(keyOfRow, rows, 0, 300, offsets, apart);
    columns.draw(keyOfRow, rows, 300, listed.length, offsets, apart);

    assertThat(ints(alike, total)).isEqualTo(single(draw, listed, offsets, _ -> keys[0]));
    assertThat(ints(apart, total))
        .isEqualTo(single(draw, listed, offsets, row -> keys[row % keys.length]));
  }

  /** The key of a row. */
  private interface Keys {
    long of(int row);
  }

  private int[] single(UniformDraw draw, int[] listed, MemorySegment offsets, Keys keys) {
    long total = offsets.getAtIndex(JAVA_LONG, listed.length);
    DrawnArcs drawn = new DrawnArcs(memory.allocateInts(total), null);
    for (int row = 0; row < listed.length; row++) {
      draw.draw(listed[row], keys.of(row), drawn, offsets.getAtIndex(JAVA_LONG, row));
    }
    return ints(drawn.ids(), total);
  }

  private static int[] ints(MemorySegment segment, long count) {
    return segment.asSlice(0, Integer.BYTES * count).toArray(JAVA_INT);
  }
}
