package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.train.run.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Flags, keys, schema and what init writes are the same thing. */
class RunFileTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root", ".."));

  @TempDir private Path folder;

  private static CommandSpec train() {
    return Heddle.trainCommand(Heddle.commandLine()).getCommandSpec();
  }

  @Test
  void thePublishedSchemaIsTheOneOfTheOptions() {
    assertThat(ROOT.resolve("docs/run.schema.json"))
        .as("heddle init --schema > docs/run.schema.json")
        .hasContent(RunSchema.of(train()));
  }

  @Test
  void whatInitWritesSaysTheDefaults() {
    Path file = folder.resolve("run.yaml");
    assertThat(Ran.heddle("init", file.toString()).exit()).isZero();
    Map<String, String> values = RunFile.read(file, train());
    CommandLine byFlags = new CommandLine(new TrainCommand());
    byFlags.setDefaultValueProvider(TrainDefaults.of(byFlags.getCommandSpec(), List.of()));
    byFlags.parseArgs();
    for (OptionSpec option : Keys.of(byFlags.getCommandSpec())) {
      Object value = option.getValue();
      assertThat(values.get(Keys.name(option)))
          .as(Keys.name(option))
          .isEqualTo(value == null ? null : value.toString());
    }
  }

  @Test
  void everyKeyIsDescribed() {
    for (OptionSpec option : Keys.of(train())) {
      assertThat(Keys.description(option)).as(Keys.name(option)).isNotBlank().doesNotContain("$");
    }
  }

  @Test
  void theVersionIsThePoms() throws IOException {
    assertThat(Files.readString(ROOT.resolve("pom.xml")))
        .contains("<version>" + Version.CURRENT + "</version>");
  }
}
