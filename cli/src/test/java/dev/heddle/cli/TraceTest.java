package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@code --trace} writes, as a reader of traces sees it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TraceTest {
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir private Path folder;
  private String graph;

  @BeforeEach
  void writeGraph() throws IOException {
    graph = RingGraph.write(folder.resolve("graph"), 60).toString();
  }

  /** A span of a thread, in nanoseconds. */
  private record Event(String name, String kind, long begin, long end) {
    static Event of(JsonNode json) {
      long begin = Math.round(1000 * json.get("ts").asDouble());
      return new Event(
          json.get("name").asString(),
          json.get("cat").asString(),
          begin,
          begin + Math.round(1000 * json.get("dur").asDouble()));
    }
  }

  private JsonNode train(String trace, String... more) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("train", "--graph", graph, "--epochs", "6", "--threads", "1"));
    arguments.addAll(List.of("--out", folder.resolve(trace + "-run").toString(), "--json"));
    arguments.addAll(List.of("--trace", folder.resolve(trace).toString()));
    arguments.addAll(Arrays.asList(more));
    Ran ran = Ran.heddle(arguments.toArray(String[]::new));
    assertThat(ran.exit()).as(ran.err()).isZero();
    return JSON.readTree(ran.lastLine());
  }

  /** Spans by worker and thread; all of a thread lie beside or within each other. */
  private Map<String, List<Event>> read(String trace) throws IOException {
    JsonNode root = JSON.readTree(Files.readString(folder.resolve(trace)));
    assertThat(root.get("otherData").get("overflowed").asLong()).isZero();
    Map<String, String> names = new TreeMap<>();
    Map<String, List<Event>> threads = new TreeMap<>();
    for (JsonNode event : root.get("traceEvents")) {
      String process = event.get("pid").asString();
      String thread = process + "." + event.get("tid").asString();
      switch (event.get("ph").asString()) {
        case "M" -> {
          String key = event.get("name").asString().equals("process_name") ? process : thread;
          names.put(key, event.get("args").get("name").asString());
        }
        case "X" -> {
          assertThat(event.get("args").get("epoch").asInt()).isBetween(0, 6);
          assertThat(event.get("dur").asDouble()).isNotNegative();
          String name = names.get(process) + ", " + names.get(thread);
          threads.computeIfAbsent(name, _ -> new ArrayList<>()).add(Event.of(event));
        }
        default -> throw new AssertionError(event.toString());
      }
    }
    threads.values().forEach(TraceTest::assertNested);
    return threads;
  }

  private static void assertNested(List<Event> events) {
    List<Event> outerFirst = new ArrayList<>(events);
    outerFirst.sort(
        Comparator.comparingLong(Event::begin)
            .thenComparing(Comparator.comparingLong(Event::end).reversed()));
    Deque<Event> open = new ArrayDeque<>();
    for (Event event : outerFirst) {
      assertThat(event.begin()).isLessThanOrEqualTo(event.end());
      while (!open.isEmpty() && open.peek().end() <= event.begin()) {
        open.pop();
      }
      if (!open.isEmpty()) {
        assertThat(event.end())
            .as("%s in %s", event, open.peek())
            .isLessThanOrEqualTo(open.peek().end());
      }
      open.push(event);
    }
  }

  private static List<String> names(List<Event> events) {
    return events.stream().map(Event::name).distinct().toList();
  }

  @Test
  void oneWorkerOnTheFullGraph() throws IOException {
    JsonNode summary = train("full.json");
    Map<String, List<Event>> threads = read("full.json");
    assertThat(threads).containsOnlyKeys("worker 0, train");
    List<Event> events = threads.getOrDefault("worker 0, train", List.of());
    assertThat(names(events))
        .contains("epoch", "compute", "share", "update", "evaluate", "checkpoint");
    assertThat(events.stream().filter(e -> e.name().equals("epoch"))).hasSize(6);
    JsonNode worker = summary.get("workerSeconds").get(0);
    for (String stage : List.of("sample", "fetch", "compute", "exchange", "update", "idle")) {
      assertThat(worker.get(stage)).isEqualTo(summary.get("stageSeconds").get(stage));
    }
    double epochs =
        events.stream()
            .filter(e -> e.name().equals("epoch"))
            .mapToDouble(e -> 1e-9 * (e.end() - e.begin()))
            .sum();
    assertThat(summary.get("trainSeconds").asDouble()).isCloseTo(epochs, within(1e-6));
  }

  @Test
  void severalWorkersInBatchesThatAreLoadedAhead() throws IOException {
    JsonNode summary =
        train("batches.json", "--batch", "7", "--fanout", "2,2", "--workers", "3", "--ahead");
    Map<String, List<Event>> threads = read("batches.json");
    assertThat(threads)
        .containsOnlyKeys(
            "worker 0, load",
            "worker 0, train",
            "worker 1, load",
            "worker 1, train",
            "worker 2, load",
            "worker 2, train");
    threads.forEach((name, events) -> {
      if (name.endsWith("load")) {
        assertThat(names(events)).contains("load", "sample", "fetch", "sample: waits");
      } else {
        assertThat(names(events)).contains("epoch", "gather", "compute", "share", "update");
      }
    });
    JsonNode workers = summary.get("workerSeconds");
    assertThat(workers).hasSize(3);
    for (JsonNode worker : workers) {
      assertThat(worker.get("sample").asDouble()).isPositive();
      assertThat(worker.get("threads").get(1).get("thread").asString()).isEqualTo("load");
    }
  }

  @Test
  void processes() throws IOException {
    JsonNode _ = train("processes.json", "--workers", "2", "--processes");
    assertThat(read("processes.json")).containsOnlyKeys("worker 0, train", "worker 1, train");
  }

  @Test
  void whereItCannotBeWrittenIsSaidBeforeTraining() {
    Ran ran =
        Ran.heddle(
            "train",
            "--graph",
            graph,
            "--out",
            folder.resolve("refused").toString(),
            "--trace",
            folder.resolve("nowhere/trace.json").toString());
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err())
        .contains("nowhere/trace.json: cannot be written")
        .doesNotContain("epoch 1");
  }
}
