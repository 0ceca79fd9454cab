package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code docs/guide/compare.md} and {@code combinations.md} tell people to type works. */
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class CompareGuideTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root", ".."));
  private static final Pattern BLOCK = Pattern.compile("(?s)```sh\n(.*?)```");

  @TempDir private Path folder;

  /** The commands of a page, without the word heddle. */
  private static List<List<String>> commands(String page) throws IOException {
    Matcher blocks = BLOCK.matcher(Files.readString(ROOT.resolve("docs/guide").resolve(page)));
    List<List<String>> commands = new ArrayList<>();
    while (blocks.find()) {
      for (String line : blocks.group(1).lines().toList()) {
        assertThat(line).startsWith("heddle ");
        commands.add(Arrays.asList(line.split(" ", -1)).subList(1, line.split(" ", -1).length));
      }
    }
    return commands;
  }

  private static void run(List<String> words) {
    Ran ran = Ran.heddle(words.toArray(String[]::new));
    assertThat(ran.exit()).as(words + "\n" + ran.err()).isZero();
  }

  @Test
  void comparisons() throws IOException {
    List<List<String>> commands = commands("compare.md");
    assertThat(commands).hasSize(3);
    for (List<String> command : commands) {
      run(
          command.stream()
              .map(word -> word.matches("graph[.]store|runs/.*") ? "" + folder.resolve(word) : word)
              .toList());
    }
    assertThat(folder.resolve("runs/rates/comparison.html")).exists();
  }

  @Test
  void combinations() throws IOException {
    String graph = RingGraph.write(folder.resolve("rings"), 60).toString();
    List<List<String>> commands = commands("combinations.md");
    assertThat(commands).hasSizeGreaterThanOrEqualTo(2);
    for (int i = 0; i < commands.size(); i++) {
      List<String> words = new ArrayList<>(commands.get(i));
      words.addAll(List.of("--graph", graph, "--epochs", "3", "--threads", "1"));
      words.addAll(List.of("--out", folder.resolve("run-" + i).toString()));
      run(words);
    }
  }
}
