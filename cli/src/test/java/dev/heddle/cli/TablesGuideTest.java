package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code docs/guide/tables.md} is true word for word: its commands are run in order, and print what
 * follows them; … is any text.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TablesGuideTest {
  private static final Path GUIDE =
      Path.of(System.getProperty("heddle.root", "..")).resolve("docs/guide/tables.md");
  private static final Pattern FILE = Pattern.compile("[a-z/-]+\\.(csv|store)|runs/[a-z]+");

  @TempDir private Path folder;

  @Test
  void doesWhatItSays() throws IOException {
    PeopleTables.write(folder);
    Files.createDirectory(folder.resolve("runs"));
    List<String> blocks =
        Pattern.compile("(?s)```\n(\\$ .*?)```")
            .matcher(Files.readString(GUIDE))
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(blocks).hasSizeGreaterThan(3);
    for (String block : blocks) {
      int end = block.indexOf('\n');
      String command = block.substring(2, end).strip();
      assertThat(printed(command)).as(command).matches(pattern(block.substring(end + 1)));
    }
    List<String> predictions = Files.readAllLines(folder.resolve("predictions.csv"));
    assertThat(predictions).hasSize(PeopleTables.PEOPLE + 1);
    assertThat(Files.readAllLines(folder.resolve("new-predictions.csv"))).hasSize(101);
    // By id: most of those without a label are what people like them are.
    long right =
        IntStream.range(0, PeopleTables.PEOPLE)
            .filter(i -> i % 23 == 0)
            .filter(i ->
                predictions
                    .get(i + 1)
                    .startsWith(
                        7_205_759_403_792_793_600L
                            + i
                            + ","
                            + (i * 7 % 4 % 2 == 0 ? "loyal" : "passing")))
            .count();
    assertThat(right).isGreaterThan(PeopleTables.PEOPLE / 23 * 9 / 10);
  }

  private String printed(String command) throws IOException {
    String[] words = command.split(" +", -1);
    if (words[0].equals("head")) {
      List<String> lines =
          Files.readAllLines(folder.resolve(words[3]), StandardCharsets.ISO_8859_1);
      return lines.stream()
          .limit(Integer.parseInt(words[2]))
          .collect(Collectors.joining("\n", "", "\n"));
    }
    assertThat(words[0]).isEqualTo("heddle");
    String[] arguments =
        Arrays.stream(words)
            .skip(1)
            .map(word -> FILE.matcher(word).matches() ? folder.resolve(word).toString() : word)
            .toArray(String[]::new);
    Ran ran = Ran.heddle(arguments);
    assertThat(ran.exit()).as(ran.err()).isZero();
    return ran.out().replace(folder + "/", "");
  }

  private static Pattern pattern(String text) {
    return Pattern.compile(
        Arrays.stream(text.split("…", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining("(?s:.*?)")));
  }
}
