package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.cli.chart.Sparkline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the past: a list with sparklines, and curves as SVG. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RunsCommandTest {
  @TempDir private static Path folder;

  /** One that finished, one that is going on and writes a line, one whose summary is damaged. */
  @BeforeAll
  static void runs() throws IOException {
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    Ran ran =
        Ran.heddle(
            "train", "--graph", graph, "--epochs", "5", "--hidden", "4", "--out", at("runs/done"));
    assertThat(ran.exit()).as(ran.err()).isZero();
    write(
        "runs/deep/in/going",
        "{\"epoch\":1,\"loss\":2.5,\"seconds\":1,\"valid\":0.5}\n{\"epoch\":");
    write("runs/damaged", "{\"epoch\":1,\"loss\":2,\"seconds\":1}\n");
    Files.writeString(folder.resolve("runs/damaged/summary.json"), "{");
  }

  private static void write(String run, String metrics) throws IOException {
    Files.createDirectories(folder.resolve(run));
    Files.writeString(folder.resolve(run).resolve("metrics.jsonl"), metrics);
  }

  private static String at(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void listsThoseThatCanBeRead() {
    Ran ran = Ran.heddle("runs", at("runs"));
    assertThat(ran.exit()).isZero();
    assertThat(ran.lastLine()).isEqualTo("2 of 3 runs read");
    assertThat(ran.out())
        .containsPattern("(?m)^done +vanilla-full +5 .* [▁-█]{5}$")
        .containsPattern("(?m)^deep/in/going +1 … +– +2[.]5000 +– +– +▁$");
    assertThat(ran.err()).startsWith("heddle: ").contains("damaged", "is no summary of a run");
    Ran none = Ran.heddle("runs", at("nowhere"));
    assertThat(none.exit()).isEqualTo(2);
    assertThat(none.err().strip()).isEqualTo("heddle: " + at("nowhere") + ": no such folder");
  }

  @Test
  void plotsCurves() throws IOException {
    Path out = folder.resolve("curves.svg");
    Ran ran =
        Ran.heddle("plot", at("runs/done"), at("runs/deep/in/going"), "--out", out.toString());
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(Files.readString(out))
        .startsWith("<?xml")
        .contains("training loss over epochs", at("runs/done"), "going", "<style>");
    Ran over =
        Ran.heddle(
            "plot", at("runs/done"), "--value", "score", "--over", "seconds", "--out", "" + out);
    assertThat(over.exit()).as(over.err()).isZero();
    assertThat(Files.readString(out)).contains("validation accuracy over seconds of training");
  }

  @Test
  void saysWhatCannotBePlotted() {
    String out = at("none.svg");
    Ran none = Ran.heddle("plot", at("rings"), "--out", out);
    assertThat(none.exit()).isEqualTo(2);
    assertThat(none.err()).contains("is not the folder of a run, it has no epochs");
    Ran bytes = Ran.heddle("plot", at("runs/done"), "--over", "megabytes", "--out", out);
    assertThat(bytes.exit()).isEqualTo(2);
    assertThat(bytes.err()).contains("has nothing to draw of loss over megabytes");
    assertThat(Path.of(out)).doesNotExist();
  }

  @Test
  void sparklinesGoFromLowToHigh() {
    assertThat(Sparkline.of(List.of(8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0), 8))
        .isEqualTo("█▇▆▅▄▃▂▁");
    assertThat(Sparkline.of(List.of(1.0, 1.0, 3.0, 3.0), 2)).isEqualTo("▁█");
    assertThat(Sparkline.of(List.of(2.0, Double.NaN, 2.0), 9)).isEqualTo("▁▁");
    assertThat(Sparkline.of(List.of(), 9)).isEmpty();
  }
}
