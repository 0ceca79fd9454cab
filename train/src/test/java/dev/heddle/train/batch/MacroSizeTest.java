package dev.heddle.train.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MacroSizeTest {
  @ParameterizedTest
  @CsvSource({"33, 16, 11", "32, 16, 16", "5, 16, 5", "17, 16, 9", "7, 1, 1"})
  void roundsOfAnEpochAreOfOneSize(int batches, int most, int even) {
    assertThat(MacroSize.even(batches, most)).isEqualTo(even);
  }
}
