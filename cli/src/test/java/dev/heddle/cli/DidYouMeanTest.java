package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DidYouMeanTest {
  private static final List<String> KNOWN = List.of("gcn", "gat", "sage", "epochs", "weight-decay");

  @ParameterizedTest
  @CsvSource({
    "epoch, epochs",
    "sgae, sage",
    "GCN, gcn",
    "wieght_decay, weight-decay",
    "transformer,",
    "'',",
  })
  void namesTheNearestOrNothing(String word, String nearest) {
    assertThat(DidYouMean.closest(word, KNOWN).orElse(null)).isEqualTo(nearest);
  }
}
