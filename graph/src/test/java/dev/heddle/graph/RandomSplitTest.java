package dev.heddle.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RandomSplitTest {
  @Test
  void everyVertexIsInOnePart() {
    for (int vertices : new int[] {1, 2, 3, 10, 101, 1000}) {
      Split split = RandomSplit.of(vertices, 0.6, 0.2, 7);
      int[] all =
          Stream.of(split.train(), split.valid(), split.test())
              .flatMapToInt(IntStream::of)
              .sorted()
              .toArray();
      assertThat(all).containsExactly(IntStream.range(0, vertices).toArray());
    }
  }

  @Test
  void partsAscendAndHaveTheirShares() {
    Split split = RandomSplit.of(1000, 0.6, 0.2, 7);
    assertThat(split.train()).hasSize(600).isSorted();
    assertThat(split.valid()).hasSize(200).isSorted();
    assertThat(split.test()).hasSize(200).isSorted();
  }

  @Test
  void theKeyDecides() {
    assertThat(RandomSplit.of(100, 0.6, 0.2, 7).test())
        .isEqualTo(RandomSplit.of(100, 0.6, 0.2, 7).test())
        .isNotEqualTo(RandomSplit.of(100, 0.6, 0.2, 8).test());
  }
}
