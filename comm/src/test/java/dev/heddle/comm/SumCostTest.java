package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Memory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a sum beforehand is what its messages come to. */
@Timeout(60)
class SumCostTest {
  /** Short vectors go from everyone to everyone; of longer ones each worker sums slices. */
  @ParameterizedTest
  @CsvSource({"2, 1", "3, 17", "4, 4096", "2, 4097", "3, 10001", "4, 1500000"})
  void isWhatASumTakes(int workers, int count) {
    try (Memory root = new Memory()) {
      LocalWorkers.run(
          workers,
          GroupSettings.DEFAULT,
          root,
          group -> {
            try (Memory memory = new Memory()) {
              long before = group.memory().bytes();
              group.sum(Kind.GRADIENT, memory.allocateFloats(count).asSlice(0, 4L * count));
              SumCost floats = SumCost.ofFloats(count, workers, group.rank());
              Sent sent = Sent.by(group.traffic());
              assertThat(sent.of(Kind.GRADIENT)).isEqualTo(floats.sent());
              assertThat(group.memory().bytes() - before)
                  .isBetween(floats.memory(), floats.memory() + 64L * (1 + count / 1000));
              group.sum(new double[count]);
              SumCost words = SumCost.ofWords(count, workers, group.rank());
              assertThat(Sent.by(group.traffic()).of(Kind.CONTROL)).isEqualTo(words.sent());
            }
          });
    }
  }
}
