package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The launcher starts what the script does; on a Java that is too old, it says what to install. */
class LauncherTest {
  @Test
  void flagsAreThoseOfTheScript() throws IOException {
    String script = Files.readString(Path.of("../heddle"));
    int start = script.indexOf("flags=(") + "flags=(".length();
    String all = script.substring(start, script.indexOf("${HEDDLE_JAVA_OPTS", start));
    String[] flags = all.replace("--add-modules ", "--add-modules=").strip().split("\\s+");
    String source = "src/launcher/java/dev/heddle/launcher/Launcher.java";
    String launcher = Files.readString(Path.of(source));
    int first = launcher.indexOf("FLAGS =");
    String list = launcher.substring(first, launcher.indexOf(");", first));
    assertThat(list.lines().filter(line -> line.contains("\"-")).map(LauncherTest::quoted))
        .containsExactly(flags);
  }

  private static String quoted(String line) {
    return line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
  }

  @Test
  void anOldJavaGetsOneLine() throws IOException, InterruptedException {
    Path java = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
    assumeTrue(Files.exists(java), "skipped: there is no Java 17 here");
    ProcessBuilder builder =
        new ProcessBuilder(
            java.toString(),
            "-Dheddle.java.places=/nowhere",
            "-cp",
            "target/launcher",
            "dev.heddle.launcher.Launcher");
    builder.environment().keySet().removeAll(Stream.of("JAVA_HOME", "HEDDLE_JAVA_HOME").toList());
    Process process = builder.redirectErrorStream(true).start();
    assertThat(process.waitFor(Duration.ofMinutes(1))).isTrue();
    String printed =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertThat(printed).startsWith("heddle: needs Java 25.0.3 or newer, but this is 17");
    assertThat(printed.lines()).hasSize(1);
    assertThat(process.exitValue()).isEqualTo(2);
  }
}
