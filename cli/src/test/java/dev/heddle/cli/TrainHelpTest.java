package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.OptionSpec;

/** Help is short, all of it there for the asking, and its defaults are those that hold. */
class TrainHelpTest {
  /** One and a half screens of 32 lines. */
  private static final int LINES = 48;

  private static final int COLUMNS = 80;

  @TempDir private Path folder;

  private static String help(String... args) {
    Ran ran = Ran.heddle(args);
    assertThat(ran.exit()).isZero();
    assertThat(ran.out().lines()).allMatch(line -> line.length() <= COLUMNS);
    return ran.out();
  }

  @Test
  void shortHelpIsShort() {
    assertThat(help("train", "--help").lines())
        .hasSizeLessThanOrEqualTo(LINES)
        .contains("Graph", "Model", "Training", "Batches", "Workers", "Knobs", "This run");
  }

  @Test
  void longHelpHasAllOptions() {
    String all = help("train", "--help-all");
    for (OptionSpec option : Heddle.trainCommand(Heddle.commandLine()).getCommandSpec().options()) {
      if (!option.hidden()) {
        String name = option.longestName().substring(2);
        assertThat(all).as(name).containsPattern("(?m)^  --(\\[no-\\])?" + name + "( |$)");
      }
    }
    assertThat(all).doesNotContain("$", "prepared");
  }

  @Test
  void defaultsAreThoseOfTheGraph() throws IOException {
    String wordNet = help("train", "--help");
    assertThat(wordNet).contains("hidden layers (default: 128)", "Epochs (default: 60)");
    String rings = RingGraph.write(folder.resolve("rings"), 40).toString();
    assertThat(help("train", "--graph", rings, "--help"))
        .isEqualTo(help("train", "--help", "--graph=" + rings))
        .contains("hidden layers (default: 64)", "Epochs (default: 200)", "mlp (default: gcn)");
    Path config = folder.resolve("run.yaml");
    Files.writeString(config, "graph: " + rings + "\nhidden: 5\n");
    assertThat(help("train", "--config", config.toString(), "--help-all"))
        .contains("hidden layers (default: 5)", "Epochs (default: 200)");
  }
}
