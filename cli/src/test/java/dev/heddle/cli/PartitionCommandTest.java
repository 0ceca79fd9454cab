package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code partition} as a user meets it. */
class PartitionCommandTest {
  @TempDir private static Path folder;

  @BeforeAll
  static void prepare() throws IOException {
    RingGraph.write(folder.resolve("rings"), 40);
    String[] load = {"import", "--graph", at("rings"), "--out", at("store")};
    assertThat(Ran.heddle(load).exit()).isZero();
    Files.writeString(folder.resolve("short"), "0\n1\n");
    Files.writeString(folder.resolve("high"), "2\n".repeat(40));
    Files.writeString(folder.resolve("words"), "one\n".repeat(40));
  }

  private static String at(String name) {
    return folder.resolve(name).toString();
  }

  private static Ran partition(String... more) {
    Stream<String> base = Stream.of("partition", "--graph", at("store"));
    return Ran.heddle(Stream.concat(base, Stream.of(more)).toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource({"multilevel", "streaming", "random", "range"})
  void storesAndReports(String method) {
    Ran ran = partition("--parts", "4", "--method", method, "--json", "--out", at(method));
    assertThat(ran.exit()).as(ran.err()).isZero();
    JsonNode said = new JsonMapper().readTree(ran.out());
    assertThat(said.get("parts").size()).isEqualTo(4);
    assertThat(said.get("edgesCut").asLong()).isLessThanOrEqualTo(said.get("edges").asLong());
    Partition stored =
        Objects.requireNonNull(Store.open(folder.resolve("store")).partitions().read(4));
    assertThat(stored.vertices()).isEqualTo(40);
    Store.open(folder.resolve("store")).verify();
    assertThat(partition("--parts", "4", "--partition-file", at(method)).exit()).isZero();
    assertThat(Store.open(folder.resolve("store")).partitions().read(4)).isEqualTo(stored);
  }

  @Test
  void printsATableOfAFolder() {
    String[] args = {"partition", "--graph", at("rings"), "--parts", "2", "--out", at("text")};
    Ran ran = Ran.heddle(args);
    assertThat(ran.exit()).as(ran.err()).isZero();
    assertThat(ran.out()).contains("halo").contains("cut ").contains("memory");
    assertThat(folder.resolve("text")).exists();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "--graph @store --parts 0                          | parts must be at least 1, not 0",
        "--graph @store --parts 41                         | at most the 40 vertices, not 41",
        "--graph @store --parts two                        | 'two' is not an int",
        "--graph @store                                    | --parts",
        "--parts 2                                         | --graph",
        "--graph @rings --parts 2                          | --out says where it goes",
        "--graph @nowhere --parts 2 --out @x               | there is no graph",
        "--graph @store --parts 2 --method metis           | --method: there is no 'metis'",
        "--graph @store --parts 2 --balance weight         | there is no 'weight'",
        "--graph @store --parts 2 --imbalance -1           | the balance must be 1 to 2, not 0.0",
        "--graph @store --parts 2 --threads 0              | threads must be at least 1, not 0",
        "--graph @store --parts 2 --partition-file @short  | has only 2 lines; the graph has 40",
        "--graph @store --parts 2 --partition-file @high   | line 1: part 2 is not below the 2 parts",
        "--graph @store --parts 2 --partition-file @words  | line 1: 'one' is no part",
        "--graph @store --parts 2 --partition-file @none   | none: no such file",
        "--graph @store --parts 2 --out @nowhere/x         | cannot be written",
      })
  void badInput(String line, String message) {
    String[] words = line.strip().replace("@", folder + "/").split(" +", -1);
    Ran ran =
        Ran.heddle(Stream.concat(Stream.of("partition"), Stream.of(words)).toArray(String[]::new));
    assertThat(ran.err()).contains(message.strip());
    assertThat(ran.err().strip().lines()).as(ran.err()).hasSize(1);
    assertThat(ran.exit()).isEqualTo(2);
  }
}
