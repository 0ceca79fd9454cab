package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Under {@code --memory X} no run takes more than X outside the heap: by its own count, and by that
 * of the operating system; or it is refused.
 *
 * <p>What the system counts is the anonymous resident memory of the processes of a run, less that
 * of an empty one: the same command on a graph of a few vertices, less the little that it counts
 * itself. Both have a heap of one size, all of it touched from the start, and are compiled by C1
 * alone, so that what is left over is what the run took outside the heap. What differs besides,
 * some more compiled code and what malloc keeps, was at most 3 MB where one process counts 48 to 92
 * MB; {@link #TOLERANCE} is over twice that, and less than 12 MB that nothing counted, which were
 * found out in one worker, in three, and in two processes.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class MemoryLimitTest {
  /** Bytes of a process that no run counts. */
  private static final long TOLERANCE = 8_000_000;

  private static final List<String> FLAGS =
      List.of("-Xms48m", "-Xmx48m", "-XX:+AlwaysPreTouch", "-Dheddle.simd=off");

  private static final String REFUSAL =
      "heddle: .*needs [0-9.,]+ MB of memory or more, but may take [0-9.,]+ MB.*";

  @TempDir private static Path folder;

  /** Runs that take memory in different ways. */
  enum Case {
    GCN("--model gcn"),
    SAGE("--model sage --order original"),
    GAT("--model gat --hidden 32 --order original"),
    BATCH("--batch 10000 --fanout 5,5 --order original"),
    AHEAD("--batch 10000 --fanout 5,5 --order original --ahead"),
    HALF("--batch 10000 --fanout 5,5 --order original --half"),
    AGGREGATED("--batch 10000 --fanout 5,5 --order original --cache aggregated"),
    MAPPED("--batch 5000 --fanout 5,5 --features mapped --macrobatch 3"),
    WORKERS(
        "--model gcn --order original --workers 3 --epochs 2 --codec adaptive --overlap on"
            + " --pre-aggregate on"),
    WORKERS_BATCH(
        "--batch 5000 --fanout 5,5 --order original --workers 3 --ahead --evaluate-every 0"),
    PROCESSES("--model gcn --order original --workers 2 --processes"),
    PROCESSES_BATCH(
        "--batch 5000 --fanout 5,5 --order original --workers 2 --processes --macrobatch 2");

    private final String options;

    Case(String options) {
      this.options = options;
    }

    int processes() {
      return options.contains("--processes") ? 2 : 1;
    }

    /** Batches that are loaded at once are fewer where there is less memory. */
    boolean adapts() {
      return options.contains("--batch");
    }

    String[] command(String graph, String name, long memory) {
      List<String> words = new ArrayList<>(List.of("train", "--graph", at(graph)));
      words.addAll(List.of("--out", at(name() + "-" + name), "--memory", "" + memory));
      words.addAll(List.of("--threads", "2", "--json"));
      addUnlessSaid(words, "--epochs", "1");
      addUnlessSaid(words, "--hidden", "64");
      words.addAll(List.of(options.split(" ", -1)));
      return words.toArray(String[]::new);
    }

    private void addUnlessSaid(List<String> words, String option, String value) {
      if (!options.contains(option)) {
        words.addAll(List.of(option, value));
      }
    }
  }

  private static String at(String name) {
    return folder.resolve(name).toString();
  }

  /**
   * How a run ended.
   *
   * @param resident the most anonymous memory of all its processes; 0 where it was not measured
   */
  private record Run(int exit, String printed, long resident) {
    /** In processes of its own. */
    static Run measured(Case what, String graph, String name, long memory) {
      ProcessBuilder command = Child.command(Heddle.class, what.command(graph, name, memory));
      // After the flags that all children have, so that these win.
      command.command().addAll(command.command().indexOf("-cp"), FLAGS);
      try {
        Child child = Child.start(folder.resolve("printed-" + name), command);
        long resident = AnonymousMemory.most(child.process());
        return new Run(child.await(), child.printed(), resident);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    /** Where nothing is to be measured, in this process if it needs no others: that is faster. */
    static Run unmeasured(Case what, String name, long memory) {
      if (what.processes() > 1) {
        return measured(what, "large", name, memory);
      }
      Ran ran = Ran.heddle(what.command("large", name, memory));
      return new Run(ran.exit(), ran.out() + ran.err(), 0);
    }

    /** The most bytes outside the heap that the run counted, in its first process. */
    long counted() {
      assertThat(exit).as(printed).isZero();
      String summary =
          printed.lines().filter(line -> line.startsWith("{")).findFirst().orElseThrow();
      JsonNode peak = new JsonMapper().readTree(summary).get("peakMemoryBytes");
      return peak.get("native").asLong();
    }

    String lastLine() {
      return printed.strip().lines().reduce((_, line) -> line).orElseThrow();
    }
  }

  @BeforeAll
  static void generate() {
    assumeTrue(AnonymousMemory.isTold(), "needs a system that tells RssAnon in /proc");
    generate("large", 50_000);
    generate("small", 1000);
  }

  private static void generate(String name, int vertices) {
    Ran ran =
        Ran.heddle("generate", "--vertices", "" + vertices, "--degree", "6", "--out", at(name));
    assertThat(ran.exit()).as(ran.err()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void isKeptOrRefused(Case what) {
    int processes = what.processes();
    long needed = Run.unmeasured(what, "generous", 8L << 30).counted();
    // Workers are not all as large as the first.
    long enough = processes == 1 ? needed + needed / 32 : processes * (needed + needed / 8);
    var nothing = CompletableFuture.supplyAsync(() -> Run.measured(what, "small", "empty", enough));
    Run run = Run.measured(what, "large", "enough", enough);
    Run empty = nothing.join();
    long counted = run.counted();
    assertThat(counted).isLessThanOrEqualTo(enough / processes);
    long resident = run.resident - (empty.resident - processes * empty.counted());
    System.out.printf(
        Locale.ROOT,
        "MemoryLimitTest %s: %.1f MB counted, %.1f MB by the system, %.1f MB allowed%n",
        what,
        counted / 1e6,
        resident / 1e6,
        enough / 1e6);
    // One process knows all that is counted; of several, each keeps to its share.
    long bound = processes == 1 ? counted : enough;
    assertThat(resident).isBetween(counted / 2, bound + processes * TOLERANCE);
    isRefusedOrAdapts(what, processes * needed / 2);
  }

  private static void isRefusedOrAdapts(Case what, long half) {
    Run run = Run.unmeasured(what, "half", half);
    if (run.exit == 0 && what.adapts()) {
      assertThat(run.counted()).isLessThanOrEqualTo(half / what.processes());
    } else {
      assertThat(run.exit).as(run.printed).isEqualTo(Errors.USAGE);
      assertThat(run.lastLine()).matches(REFUSAL);
      assertThat(run.printed).doesNotContain("Exception");
    }
  }
}
