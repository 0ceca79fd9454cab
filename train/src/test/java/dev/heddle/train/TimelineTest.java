package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.pipeline.Span;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.pipeline.ThreadTimes;
import dev.heddle.train.pipeline.Time;
import dev.heddle.train.pipeline.WorkerTimes;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the timelines of workers say of real training. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TimelineTest {
  private static final int EPOCHS = 5;
  private static final int VERTICES = 6000;

  private static Graph graph;

  @BeforeAll
  static void generate() {
    graph = SmallGraph.of(VERTICES, 64, 3);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static TrainSettings.Builder settings() {
    return TrainSettings.builder().epochs(EPOCHS).threads(1).seed(5);
  }

  private static TrainSettings settings(BatchSettings batches, Fetch fetch) {
    return settings().batches(batches).build().withFetch(fetch);
  }

  /** The timelines of all workers, by rank. */
  private static List<WorkerTimes> train(TrainSettings settings, int workers) {
    ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(2).hidden(64).dropout(0.2f).build();
    int[] parts = IntStream.range(0, VERTICES).map(v -> v % workers).toArray();
    List<List<WorkerTimes>> first = new ArrayList<>();
    LocalWorkers.run(
        workers,
        GroupSettings.DEFAULT,
        group -> {
          try (Training training =
              Training.of(graph, spec, settings, group, Partition.of(workers, parts))) {
            assertThat(training.trace().run().epochs()).hasSize(EPOCHS);
            if (group.rank() == 0) {
              first.add(training.times());
            }
          }
        });
    List<WorkerTimes> times = first.getFirst();
    assertThat(times).extracting(WorkerTimes::worker).isEqualTo(ranks(workers));
    return times;
  }

  private static List<Integer> ranks(int workers) {
    return IntStream.range(0, workers).boxed().toList();
  }

  private static ThreadTimes training(WorkerTimes worker) {
    return worker.threads().getFirst();
  }

  private static List<Span> epochs(WorkerTimes worker) {
    return training(worker).spans().stream()
        .filter(s -> s.stage() == Stage.EPOCH && s.time() == Time.BUSY)
        .toList();
  }

  /** The part of a span that lies in an epoch. */
  private static long within(Span span, Span epoch) {
    return Math.max(0, Math.min(span.end(), epoch.end()) - Math.max(span.begin(), epoch.begin()));
  }

  /** How much of an epoch a thread spent in each kind of time: of every span what is its own. */
  private static Map<Time, Long> kinds(ThreadTimes thread, Span epoch) {
    List<Span> spans = new ArrayList<>(thread.spans());
    spans.sort(
        Comparator.comparingLong(Span::begin)
            .thenComparing(Comparator.comparingLong(Span::end).reversed()));
    Map<Time, Long> nanos = new EnumMap<>(Time.class);
    Deque<Span> open = new ArrayDeque<>();
    for (Span span : spans) {
      while (!open.isEmpty() && open.peek().end() <= span.begin()) {
        open.pop();
      }
      long length = within(span, epoch);
      nanos.merge(span.time(), length, Long::sum);
      if (!open.isEmpty()) {
        assertThat(span.end()).isLessThanOrEqualTo(open.peek().end());
        nanos.merge(open.peek().time(), -length, Long::sum);
      }
      open.push(span);
    }
    return nanos;
  }

  /** Per thread and epoch, no time is missing, and none is of two kinds. */
  private static void assertAddsUp(List<WorkerTimes> workers) {
    for (WorkerTimes worker : workers) {
      List<Span> epochs = epochs(worker);
      assertThat(epochs).hasSize(EPOCHS);
      for (ThreadTimes thread : worker.threads()) {
        assertThat(thread.overflowed()).isZero();
        // Threads start in the first epoch.
        for (Span epoch : epochs.subList(1, EPOCHS)) {
          Map<Time, Long> kinds = kinds(thread, epoch);
          assertThat(kinds.values()).allSatisfy(nanos -> assertThat(nanos).isNotNegative());
          double sum = kinds.values().stream().mapToDouble(Long::doubleValue).sum();
          assertThat(sum / epoch.nanos())
              .as("worker %d, %s, %s", worker.worker(), thread.thread(), kinds)
              .isBetween(0.97, 1.03);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void epochsOfTheFullGraphAddUp(int workers) {
    Knobs knobs = Knobs.DEFAULT.withOverlap(workers > 1);
    List<WorkerTimes> times = train(settings().knobs(knobs).build(), workers);
    assertAddsUp(times);
    for (WorkerTimes worker : times) {
      assertThat(worker.threads()).hasSize(1);
      assertThat(worker.nanos(Stage.COMPUTE, Time.BUSY)).isPositive();
      assertThat(worker.nanos(Stage.UPDATE)).isPositive();
      assertThat(worker.nanos(Stage.SAMPLE)).isZero();
      assertThat(worker.nanos(Stage.EXCHANGE) > 0).isEqualTo(workers > 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, false", "1, true", "2, true"})
  void epochsInBatchesAddUp(int workers, boolean ahead) {
    BatchSettings batches = new BatchSettings(500, SampleSettings.neighbours(5, 5));
    List<WorkerTimes> times = train(settings(batches, Fetch.DEFAULT.withAhead(ahead)), workers);
    assertAddsUp(times);
    for (WorkerTimes worker : times) {
      assertThat(worker.threads()).hasSize(ahead ? 2 : 1);
      assertThat(worker.nanos(Stage.SAMPLE)).isPositive();
      assertThat(worker.nanos(Stage.GATHER)).isPositive();
    }
  }

  /** Features travel while a worker computes: its two threads are at it at one moment. */
  @Test
  void fetchingAndComputingOverlap() {
    BatchSettings batches = new BatchSettings(300, SampleSettings.neighbours(8, 8));
    Fetch fetch = Fetch.DEFAULT.withMacrobatch(3).withAhead(true);
    List<WorkerTimes> times = train(settings(batches, fetch), 4);
    assertThat(times).hasSize(4);
    for (WorkerTimes worker : times) {
      List<Span> fetched = spans(worker.threads().get(1), Stage.FETCH);
      List<Span> computed = spans(training(worker), Stage.COMPUTE);
      assertThat(fetched).isNotEmpty();
      assertThat(spans(worker.threads().get(1), Stage.COMPUTE)).isEmpty();
      long both =
          fetched.stream().flatMapToLong(f -> computed.stream().mapToLong(c -> within(f, c))).sum();
      assertThat(both).as("nanoseconds of worker %d", worker.worker()).isPositive();
    }
  }

  private static List<Span> spans(ThreadTimes thread, Stage stage) {
    return thread.spans().stream()
        .filter(s -> s.stage() == stage && s.time() == Time.BUSY)
        .toList();
  }

  /** Totals are kept by adding, spans one by one; both tell one story. */
  @Test
  void totalsAreSumsOfSpans() {
    BatchSettings batches = new BatchSettings(700, SampleSettings.neighbours(3, 3));
    for (WorkerTimes worker : train(settings(batches, Fetch.DEFAULT.withAhead(true)), 2)) {
      ThreadTimes thread = training(worker);
      for (Stage stage : List.of(Stage.GATHER, Stage.COMPUTE, Stage.SHARE, Stage.UPDATE)) {
        long sum = spans(thread, stage).stream().mapToLong(Span::nanos).sum();
        assertThat(thread.nanos(stage)).isEqualTo(sum);
      }
    }
  }
}
