package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.Scores;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written over must not wrap. */
class ProgressTest {
  private static final String CLEAR_LINE = "\r\u001b[K";

  private static String shown(int columns) {
    StringWriter text = new StringWriter();
    Progress progress = new Progress(new PrintWriter(text), "accuracy", 10_000, columns);
    for (int epoch = 1; epoch <= 2000; epoch += 999) {
      progress.show(new EpochReport(epoch, 12.34567, 0.1, new Scores(0.5, 0.25, 0.125)));
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 20, 25, 40, 60, 72, 80, 100, 200})
  void aLineFitsTheTerminal(int columns) {
    String text = shown(columns);
    assertThat(text).doesNotContain("\n");
    String[] lines = text.split(CLEAR_LINE.replace("[", "\\["), -1);
    assertThat(lines).hasSize(4).allMatch(line -> line.length() < columns || line.isEmpty());
    if (columns >= 20) {
      assertThat(lines[1]).startsWith("epoch 1/10000");
    }
    if (columns >= 80) {
      assertThat(lines[3]).contains("loss 12.3457", "train 0.5000 valid 0.2500", " left");
    }
  }

  @Test
  void aLogHasWholeLines() {
    assertThat(shown(0).lines())
        .hasSizeGreaterThan(1)
        .allMatch(line -> line.contains("  accuracy train 0.5000 valid 0.2500  "));
  }
}
