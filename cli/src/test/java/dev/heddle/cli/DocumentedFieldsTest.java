package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.nn.Safetensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code docs/summary.md} says what runs write, and runs write what it says. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DocumentedFieldsTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root", ".."));
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern HEADING = Pattern.compile("(?m)^##? ");

  @TempDir private static Path folder;

  /** Runs that have between them all that any run has. */
  @BeforeAll
  static void train() throws IOException {
    String graph = RingGraph.write(folder.resolve("rings"), 60).toString();
    String[] base = {"train", "--graph", graph, "--epochs", "3", "--hidden", "4", "--threads", "1"};
    run(with(base, "--out", at("alone")));
    run(
        with(
            base,
            "--preset",
            "adaqp",
            "--workers",
            "2",
            "--codec-delta",
            "on",
            "--pre-aggregate",
            "on",
            "--half-sums",
            "on",
            "--out",
            at("parts")));
    run(with(base, "--preset", "batchgnn", "--workers", "2", "--batch", "9", "--out", at("seeds")));
    run(with(base, "--split", "layers", "--workers", "2", "--out", at("stages")));
    run(with(base, "--preset", "gsplit", "--workers", "2", "--batch", "9", "--out", at("batch")));
    run(
        with(
            base,
            "--preset",
            "mqgnn",
            "--workers",
            "2",
            "--batch",
            "9",
            "--gradient-codec",
            "bits8",
            "--out",
            at("queues")));
    String[] split = {"--split", "batch", "--depth", "auto", "--workers", "2", "--batch", "9"};
    run(with(with(base, split), "--out", at("auto")));
  }

  private static void run(String... args) {
    Ran ran = Ran.heddle(args);
    assertThat(ran.exit()).as(ran.err()).isZero();
  }

  private static String at(String name) {
    return folder.resolve(name).toString();
  }

  private static Stream<Path> runs() {
    return Stream.of("alone", "parts", "seeds", "stages", "batch", "auto", "queues")
        .map(folder::resolve);
  }

  /** The part of the page below a heading. */
  private static String section(String heading) throws IOException {
    String page = Files.readString(ROOT.resolve("docs/summary.md"));
    return Arrays.stream(HEADING.split(page))
        .filter(part -> part.startsWith(heading + "\n"))
        .findFirst()
        .orElseThrow();
  }

  /** What stands in the first column of the tables in a section. */
  private static Set<String> documented(String heading) throws IOException {
    Set<String> names = new TreeSet<>();
    for (String line : section(heading).lines().toList()) {
      if (line.startsWith("| `")) {
        Matcher code = CODE.matcher(line.split("\\|", -1)[1]);
        while (code.find()) {
          names.add(code.group(1));
        }
      }
    }
    return names;
  }

  /** The names of what an object holds, dots between; kinds of what was sent are all alike. */
  private static void flatten(String prefix, JsonNode node, Set<String> into) {
    if (node.isObject() && !prefix.startsWith("sent.byKind.")) {
      String dot = prefix.isEmpty() ? "" : prefix + ".";
      node.properties().forEach(each -> flatten(dot + each.getKey(), each.getValue(), into));
    } else if (node.isArray() && !node.isEmpty() && node.get(0).isObject()) {
      node.forEach(each -> flatten(prefix + "[]", each, into));
    } else if (!prefix.equals("exchange.widths")) {
      into.add(prefix);
    }
  }

  private static Set<String> written(String file) {
    Set<String> names = new TreeSet<>();
    runs()
        .forEach(run -> {
          try {
            for (String line : json(run.resolve(file))) {
              flatten("", new JsonMapper().readTree(line), names);
            }
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    return names;
  }

  private static List<String> json(Path file) throws IOException {
    return file.toString().endsWith(".jsonl")
        ? Files.readAllLines(file)
        : List.of(Files.readString(file));
  }

  @Test
  void theSummary() throws IOException {
    assertThat(written("summary.json")).isEqualTo(documented("summary.json"));
  }

  @Test
  void metrics() throws IOException {
    assertThat(written("metrics.jsonl")).isEqualTo(documented("metrics.jsonl"));
  }

  @Test
  void theEnvironment() throws IOException {
    assertThat(written("environment.json")).isEqualTo(documented("environment.json"));
  }

  @Test
  void checkpointsAndModels() throws IOException {
    Set<String> checkpoints = documented("Metadata of checkpoints");
    Set<String> models = new TreeSet<>(documented("Metadata of model.safetensors"));
    checkpoints.stream()
        .filter(name -> name.matches("heddle[.](version|crc32c|model[.].*)"))
        .forEach(models::add);
    // What stands beside checkpoints of stages.
    Set<String> beside = Set.of("heddle.rows");
    assertThat(checkpoints.removeAll(beside)).isTrue();
    assertThat(metadata("checkpoints/epoch-000003.safetensors")).isEqualTo(checkpoints);
    assertThat(metadata("model.safetensors")).isEqualTo(models);
  }

  private static Set<String> metadata(String file) {
    Set<String> names = new TreeSet<>();
    runs()
        .forEach(run -> {
          try (Safetensors saved = Safetensors.open(run.resolve(file))) {
            names.addAll(saved.metadata().keySet());
          }
        });
    return names;
  }

  @Test
  void theFolder() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path run : runs().toList()) {
      try (Stream<Path> files = Files.walk(run)) {
        files
            .filter(Files::isRegularFile)
            .map(file -> run.relativize(file).toString())
            .map(name -> name.replace("epoch-000003", "epoch-000020"))
            .map(name -> name.replace("partition-2", "partition-4"))
            .forEach(names::add);
      }
    }
    assertThat(names).isEqualTo(documented("What a run says and leaves"));
  }
}
