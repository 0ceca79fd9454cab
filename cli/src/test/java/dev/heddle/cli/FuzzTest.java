package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.SafetensorsWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files that are wrong though their checksums are right, given to every command that reads them: it
 * refuses in one line that names the file, with exit code 2, or does what it does with the healthy
 * file, to the bit. Some pairs of corruption and command are drawn; tagged {@code slow}, all are
 * tried.
 */
class FuzzTest {
  private static final int DRAWN = 60;

  @TempDir private static Path folder;

  /** What each command makes of a healthy store. */
  private static final Map<String, String> HEALTHY = new HashMap<>();

  /** A way to be wrong, and the command that meets it. */
  private record Pair(String store, String corruption, String command) {
    @Override
    public String toString() {
      return store + ", " + corruption + ": heddle " + command;
    }
  }

  /** Commands that read a store, for {@code @store}; what they make is {@code @out}. */
  private static final List<String> COMMANDS =
      List.of(
          train(""),
          train("--batch 5"),
          train("--batch 5 --features mapped"),
          train("--batch 5 --sampler shadow --fanout 2,2"),
          train("--workers 2 --split graph"),
          train("--workers 2 --batch 6 --split seeds"),
          train("--workers 2 --batch 6 --split batch"),
          train("--workers 2 --split layers"),
          train("--workers 4 --split hybrid --stages 2"),
          "predict @model --graph @store --out @out.csv",
          "evaluate @model --graph @store --json",
          "partition --graph @store --parts 3 --out @out.txt",
          "info @store",
          "info @store --verify");

  private static String train(String more) {
    return "train --graph @store --model gcn --hidden 8 --epochs 1 --threads 1 --out @out.run "
        + more;
  }

  @BeforeAll
  static void healthy() throws IOException {
    FuzzedStores.write(folder);
    for (String store : FuzzedStores.NAMES) {
      String line =
          "train --graph @store --model gcn --hidden 8 --epochs 3 --threads 1 --out @model";
      assertThat(run(line, folder.resolve(store), store).exit()).isZero();
      Ran parted = run("partition --graph @store --parts 2", folder.resolve(store), store);
      assertThat(parted.exit()).as(parted.err()).isZero();
    }
  }

  private static Ran run(String line, Path store, String model) throws IOException {
    String out = folder.resolve("out").toString();
    clear(folder.resolve("out.run"));
    return Ran.heddle(
        line.strip()
            .replace("@store", store.toString())
            .replace("@model", folder.resolve("model-" + model).toString())
            .replace("@out", out)
            .split(" +", -1));
  }

  private static void clear(Path path) throws IOException {
    if (Files.exists(path)) {
      try (Stream<Path> all = Files.walk(path)) {
        for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** What a command has come to, without what differs from run to run. */
  private static String result(String command, Ran ran, Path store) throws IOException {
    for (String made : List.of("out.csv", "out.txt", "out.run/model.safetensors")) {
      if (command.contains("@" + made.replaceFirst("/.*", ""))) {
        return new String(Files.readAllBytes(folder.resolve(made)), StandardCharsets.ISO_8859_1);
      }
    }
    return ran.out().replace(store.toString(), "@store").lines().sorted().toList().toString();
  }

  private static Map<String, Consumer<StoreSurgeon>> corruptions(String store) throws IOException {
    return StoreCorruptions.of(new StoreSurgeon(folder.resolve(store)));
  }

  private static List<Pair> pairs() throws IOException {
    List<Pair> pairs = new ArrayList<>();
    for (String store : FuzzedStores.NAMES) {
      for (String corruption : corruptions(store).keySet()) {
        for (String command : COMMANDS) {
          pairs.add(new Pair(store, corruption, command));
        }
      }
    }
    return pairs;
  }

  /** Tries pairs, and prints how many were refused and how many changed nothing. */
  private static void check(List<Pair> pairs) throws IOException {
    int refused = 0;
    int harmless = 0;
    List<String> wrong = new ArrayList<>();
    for (Pair pair : pairs) {
      Path healthy = folder.resolve(pair.store);
      String key = pair.store + pair.command;
      if (!HEALTHY.containsKey(key)) {
        Ran ran = run(pair.command, healthy, pair.store);
        assertThat(ran.exit()).as(pair.command + ": " + ran.err()).isZero();
        HEALTHY.put(key, result(pair.command, ran, healthy));
      }
      Path store = folder.resolve("wrong");
      clear(store);
      StoreSurgeon surgeon = new StoreSurgeon(healthy);
      Objects.requireNonNull(corruptions(pair.store).get(pair.corruption)).accept(surgeon);
      surgeon.write(store);
      Ran ran = run(pair.command, store, pair.store);
      boolean oneLine = ran.err().startsWith("heddle: ") && ran.err().strip().lines().count() == 1;
      if (ran.exit() == 2 && oneLine && ran.err().contains(store.toString())) {
        refused++;
      } else if (ran.exit() == 0 && HEALTHY.get(key).equals(result(pair.command, ran, store))) {
        harmless++;
      } else {
        wrong.add(pair + ": exit " + ran.exit() + ", " + ran.err().strip());
      }
    }
    System.out.printf(
        "FuzzTest: %d pairs, %d refused, %d without effect, %d wrong%n",
        pairs.size(), refused, harmless, wrong.size());
    assertThat(wrong).isEmpty();
  }

  @Test
  @Timeout(120)
  void drawnPairs() throws IOException {
    SplittableRandom random = TestSeed.random(this);
    List<Pair> all = pairs();
    List<Pair> drawn = new ArrayList<>();
    for (int i = 0; i < DRAWN; i++) {
      drawn.add(all.get(random.nextInt(all.size())));
    }
    check(drawn);
  }

  @Test
  @Tag("slow")
  @Timeout(3600)
  void allPairs() throws IOException {
    long kinds = pairs().stream().map(pair -> pair.store + pair.corruption).distinct().count();
    System.out.println(
        "FuzzTest: " + kinds + " kinds of corruption, " + COMMANDS.size() + " commands");
    assertThat(kinds).isGreaterThanOrEqualTo(150);
    check(pairs());
  }

  /** A weight file as its writer sees it, to be changed and written with its checksum. */
  private static final class Weights {
    final Map<String, String> metadata = new TreeMap<>();
    final Map<String, Object> tensors = new TreeMap<>();
  }

  private static void rewrite(Path from, Path to, Consumer<Weights> change) {
    Weights weights = new Weights();
    SafetensorsWriter writer = new SafetensorsWriter().checksummed();
    try (Memory memory = new Memory()) {
      try (Safetensors saved = Safetensors.open(from)) {
        weights.metadata.putAll(saved.metadata());
        weights.metadata.remove("heddle.crc32c");
        saved
            .tensors()
            .forEach((name, entry) -> {
              boolean floats = entry.type().name().equals("F32");
              weights.tensors.put(name, floats ? saved.matrix(memory, name) : saved.longs(name));
            });
      }
      change.accept(weights);
      weights.metadata.forEach(writer::metadata);
      weights.tensors.forEach((name, tensor) -> {
        if (tensor instanceof long[] longs) {
          writer.add(name, longs);
        } else {
          writer.add(name, (Matrix) tensor);
        }
      });
      writer.write(to);
    }
  }

  /** The ways in which a weight file can be wrong whose checksum is right. */
  private static Map<String, Consumer<Weights>> weightCorruptions(Path file) {
    Map<String, Consumer<Weights>> all = new TreeMap<>();
    try (Safetensors saved = Safetensors.open(file)) {
      for (String key : saved.metadata().keySet()) {
        if (key.equals("heddle.crc32c") || key.equals("heddle.version")) {
          continue;
        }
        for (String value :
            List.of("", "-1", "1000000000", "99999999999", "NaN", "{", "\u001b[2J")) {
          all.put(key + " = " + value.length() + value.hashCode(), w -> w.metadata.put(key, value));
        }
        all.put(key + " is missing", w -> w.metadata.remove(key));
      }
      saved
          .tensors()
          .forEach((name, entry) -> {
            all.put(name + " is missing", w -> w.tensors.remove(name));
            if (!entry.type().name().equals("F32")) {
              all.put(name + " is empty", w -> w.tensors.put(name, new long[0]));
              all.put(name + " is one", w -> w.tensors.put(name, new long[] {-1}));
              all.put(
                  name + " is seven", w -> w.tensors.put(name, new long[] {1, 2, 3, 4, 5, 6, 7}));
              return;
            }
            for (float value : new float[] {Float.NaN, Float.POSITIVE_INFINITY}) {
              all.put(
                  name + " has " + value,
                  w -> ((Matrix) Objects.requireNonNull(w.tensors.get(name))).set(0, 0, value));
            }
            all.put(name + " is of longs", w -> w.tensors.put(name, new long[3]));
          });
    }
    return all;
  }

  private static void checkModels(SplittableRandom random, int draws) throws IOException {
    Path run = folder.resolve("model-directed");
    Path file = run.resolve("model.safetensors");
    byte[] healthy = Files.readAllBytes(file);
    Ran expected =
        run("predict @model --graph @store --out @out.csv", folder.resolve("directed"), "directed");
    assertThat(expected.exit()).as(expected.err()).isZero();
    String said = Files.readString(folder.resolve("out.csv"));
    Map<String, Consumer<Weights>> all = weightCorruptions(file);
    List<String> names = new ArrayList<>(all.keySet());
    List<String> wrong = new ArrayList<>();
    int refused = 0;
    try {
      for (int i = 0; i < Math.min(draws, names.size()); i++) {
        String name = draws < names.size() ? names.get(random.nextInt(names.size())) : names.get(i);
        Path original = Files.write(folder.resolve("healthy.safetensors"), healthy);
        rewrite(original, file, Objects.requireNonNull(all.get(name)));
        Files.deleteIfExists(folder.resolve("out.csv"));
        Ran ran =
            run(
                "predict @model --graph @store --out @out.csv",
                folder.resolve("directed"),
                "directed");
        boolean line =
            ran.err().strip().lines().count() == 1 && ran.err().contains(file.toString());
        if (ran.exit() == 2 && line) {
          refused++;
        } else if (ran.exit() != 0
            || !(Files.readString(folder.resolve("out.csv")).equals(said)
                || name.startsWith("heddle.schema is missing"))) {
          wrong.add(name + ": exit " + ran.exit() + ", " + ran.err());
        }
      }
    } finally {
      Files.write(file, healthy);
    }
    System.out.printf(
        "FuzzTest: %d corrupt models of %d kinds, %d refused, %d wrong%n",
        Math.min(draws, names.size()), names.size(), refused, wrong.size());
    assertThat(wrong).isEmpty();
  }

  /** Goes on from the checkpoint before, to the bits of a run that was never disturbed. */
  private static void checkCheckpoints(SplittableRandom random, int draws) throws IOException {
    String train =
        "train --graph @store --model gcn --hidden 8 --epochs 3 --threads 1 --checkpoint-every 1 --keep 3 --out @out.run";
    assertThat(run(train, folder.resolve("directed"), "directed").exit()).isZero();
    Path whole = folder.resolve("whole");
    clear(whole);
    Files.move(folder.resolve("out.run"), whole);
    byte[] model = Files.readAllBytes(whole.resolve("model.safetensors"));
    Path newest = whole.resolve("checkpoints/epoch-000003.safetensors");
    Map<String, Consumer<Weights>> all = weightCorruptions(newest);
    List<String> names = new ArrayList<>(all.keySet());
    List<String> wrong = new ArrayList<>();
    int refused = 0;
    int before = 0;
    byte[] healthy = Files.readAllBytes(newest);
    Path original = Files.write(folder.resolve("healthy.safetensors"), healthy);
    for (int i = 0; i < Math.min(draws, names.size()); i++) {
      String name = draws < names.size() ? names.get(random.nextInt(names.size())) : names.get(i);
      rewrite(original, newest, Objects.requireNonNull(all.get(name)));
      Ran ran = Ran.heddle("train", "--resume", whole.toString());
      boolean same = Arrays.equals(model, Files.readAllBytes(whole.resolve("model.safetensors")));
      boolean named = ran.err().contains(newest.toString()) || ran.err().contains("whole");
      if (ran.exit() == 2 && ran.err().strip().lines().count() == 1 && named) {
        refused++;
      } else if (ran.exit() == 0 && same) {
        before += ran.err().contains("taking the one before") ? 1 : 0;
      } else {
        wrong.add(name + ": exit " + ran.exit() + ", same " + same + ", " + ran.err());
      }
      Files.write(newest, healthy);
      Files.write(whole.resolve("model.safetensors"), model);
    }
    System.out.printf(
        "FuzzTest: %d corrupt checkpoints of %d kinds, %d refused, %d passed over, %d wrong%n",
        Math.min(draws, names.size()), names.size(), refused, before, wrong.size());
    assertThat(wrong).isEmpty();
  }

  @Test
  @Timeout(120)
  void someModelsAndCheckpoints() throws IOException {
    SplittableRandom random = TestSeed.random(this);
    checkModels(random, 20);
    checkCheckpoints(random, 10);
  }

  @Test
  @Tag("slow")
  @Timeout(1200)
  void manyModelsAndCheckpoints() throws IOException {
    SplittableRandom random = TestSeed.random(this);
    checkModels(random, 400);
    checkCheckpoints(random, 400);
  }

  /** What a run file may hold in place of a value that belongs there. */
  private static final List<String> VALUES =
      List.of(
          "&a 3",
          "*a",
          "~",
          "!!int 3",
          "[1, 2]",
          "{a: b}",
          "'",
          "\"\\x\"",
          "2147483648",
          "-2147483649",
          "1e400",
          ".inf",
          "0x10g",
          "nonsense",
          "|",
          "\u0000",
          "\u001b[31m",
          "@",
          "%");

  private static final List<String> KEYS =
      List.of("epochs", "hidden", "layers", "dropout", "batch", "threads", "workers");

  private static void checkRunFiles(SplittableRandom random, int draws) throws IOException {
    Path file = folder.resolve("run.yaml");
    List<String> wrong = new ArrayList<>();
    int refused = 0;
    for (int i = 0; i < draws; i++) {
      String key = KEYS.get(random.nextInt(KEYS.size()));
      String value = VALUES.get(random.nextInt(VALUES.size()));
      Files.writeString(file, "model: gcn\n" + key + ": " + value + "\n");
      Ran ran =
          run(
              "train --graph @store --config " + file + " --out @out.run",
              folder.resolve("numbers"),
              "");
      boolean escape = ran.err().chars().anyMatch(c -> c < ' ' && c != '\n');
      if (ran.exit() == 2 && ran.err().strip().lines().count() == 1 && !escape) {
        refused++;
      } else {
        wrong.add(key + ": " + value + ": exit " + ran.exit() + ", " + ran.err());
      }
    }
    System.out.printf(
        "FuzzTest: %d corrupt run files, %d refused, %d wrong%n", draws, refused, wrong.size());
    assertThat(wrong).isEmpty();
  }

  @Test
  @Timeout(120)
  void someRunFiles() throws IOException {
    checkRunFiles(TestSeed.random(this), 20);
  }

  @Test
  @Tag("slow")
  @Timeout(600)
  void manyRunFiles() throws IOException {
    checkRunFiles(TestSeed.random(this), 200);
  }
}
