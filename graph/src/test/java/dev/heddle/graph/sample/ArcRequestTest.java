package dev.heddle.graph.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ArcRequestTest {
  private static final int TEXT = 8;

  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  /** Where batches have much in common, one list with sets is shorter than a list for each. */
  @Test
  void oneRequestIsShorterThanOneForEachBatch() {
    for (int batches : new int[] {4, 8, 9, 16, 32}) {
      ArcRequest together = new ArcRequest();
      long apart = 0;
      for (int k = 0; k < batches; k++) {
        ArcRequest one = new ArcRequest();
        for (int v = 0; v < 2000; v++) {
          // Hubs are in most batches, others in few.
          if (random.nextInt(v < 1500 ? 10 : 100) < 7) {
            together.add(37 * v, k, v);
            one.add(37 * v, 0, v);
          }
        }
        one.sort();
        apart += written(one, 1).bytes;
      }
      together.sort();
      Written all = written(together, batches);
      assertThat(all.bytes).isLessThan(apart);
      ArcRequest read = new ArcRequest();
      read.read(batches, all.text, TEXT, TEXT + all.bytes);
      assertThat(read.pairs()).isEqualTo(together.pairs());
      for (int pair = 0; pair < read.pairs(); pair++) {
        assertThat(read.vertex(pair)).isEqualTo(together.vertex(pair));
        assertThat(read.batch(pair)).isEqualTo(together.batch(pair));
      }
    }
  }

  private record Written(MemorySegment text, long bytes) {}

  private Written written(ArcRequest request, int batches) {
    MemorySegment text = memory.allocate(TEXT + request.mostBytes(batches));
    return new Written(text, request.write(batches, text, TEXT) - TEXT);
  }
}
