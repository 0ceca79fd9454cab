package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.SeedParallelCase.Trained;
import dev.heddle.train.assign.LinkModel;
import dev.heddle.train.batch.BatchWork;
import dev.heddle.train.plan.DepthCandidate;
import dev.heddle.train.plan.DepthChoice;
import dev.heddle.train.plan.StepCounts;
import dev.heddle.train.plan.StepRates;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.BatchSplit;
import dev.heddle.train.settings.Depth;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --depth auto}: what a dry run counts, and what is chosen by that. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class DepthChoiceTest {
  private static final int LAYERS = 3;
  private static final int WORKERS = 3;

  private static ModelSpec spec(ModelKind kind) {
    return ModelSpec.of(kind).layers(LAYERS).hidden(8).heads(2).build();
  }

  /** So few batches that the dry run sees all of an epoch. */
  private static TrainSettings settings(SplittableRandom random, int macrobatch) {
    var sampling = SampleSettings.neighbours(1 + random.nextInt(3), 1 + random.nextInt(3), 2);
    TrainSettings settings = SeedParallelCase.settings(new BatchSettings(9, sampling));
    Knobs knobs = settings.knobs().withSplit(Split.BATCH);
    return settings.withKnobs(
        knobs
            .withBatchSplit(knobs.batchSplit().withDepth(Depth.AUTO))
            .withFetch(Fetch.DEFAULT.withMacrobatch(macrobatch)));
  }

  private static TrainSettings grouped(TrainSettings settings, int groups) {
    Knobs knobs = settings.knobs();
    return settings.withKnobs(knobs.withBatchSplit(knobs.batchSplit().withGroups(groups)));
  }

  private static TrainSettings at(int depth, TrainSettings settings) {
    Knobs knobs = settings.knobs();
    return settings.withKnobs(
        depth == LAYERS
            ? knobs.withSplit(Split.SEEDS).withBatchSplit(BatchSplit.DEFAULT)
            : knobs.withBatchSplit(knobs.batchSplit().withDepth(depth)));
  }

  /** What one worker counts in an epoch. */
  private record Counted(BatchWork work, Traffic traffic) {}

  private static Counted anEpoch(Training training, Group group) {
    Traffic before = group.traffic();
    var _ = training.epoch(1);
    return new Counted(training.ownWork(), group.traffic().since(before));
  }

  @ParameterizedTest
  @CsvSource({"SAGE, 1, 1", "GCN, 2, 1", "GAT, 3, 1", "GCN, 1, 2"})
  void countsAreThoseOfRuns(ModelKind kind, int macrobatch, int groups) {
    SplittableRandom random = TestSeed.random(this);
    int workers = groups == 1 ? WORKERS : 2 * groups;
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), workers);
      var shared = new SeedParallelCase(graph, owners, spec(kind));
      TrainSettings settings = grouped(settings(random, macrobatch), groups);
      DepthChoice choice =
          Objects.requireNonNull(shared.each(settings, Training::depthChoice).getFirst());
      assertThat(choice.candidates()).extracting(DepthCandidate::depth).containsExactly(0, 1, 2, 3);
      for (DepthCandidate candidate : choice.candidates()) {
        List<Counted> runs =
            shared.eachOf(at(candidate.depth(), settings), DepthChoiceTest::anEpoch);
        long[] sums = new long[3];
        for (int rank = 0; rank < workers; rank++) {
          Counted run = runs.get(rank);
          sums[0] += run.work.arcs();
          sums[1] += run.work.loaded();
          sums[2] += run.work.shuffled();
          StepCounts step = candidate.workers().get(rank);
          Sent sent = Sent.by(run.traffic);
          int steps = candidate.batches();
          Sent.Amount rows = sent.of(Kind.HALO);
          assertEqual(step.shuffling(), steps, rows.bytes(), rows.messages());
          Sent.Amount loading =
              sent.of(Kind.SAMPLE_REQUEST)
                  .plus(sent.of(Kind.SAMPLE))
                  .plus(sent.of(Kind.FEATURE_REQUEST))
                  .plus(sent.of(Kind.FEATURE));
          assertEqual(step.loading(), steps, loading.bytes(), loading.messages());
          assertThat(step.arcs() * steps).isCloseTo((double) run.work.arcs(), within(1e-6));
          assertThat(step.loaded() * steps).isCloseTo((double) run.work.loaded(), within(1e-6));
        }
        assertThat(candidate.work().arcs()).isEqualTo(sums[0]);
        assertThat(candidate.work().loaded()).isEqualTo(sums[1]);
        assertThat(candidate.work().shuffled()).isEqualTo(sums[2]);
      }
    }
  }

  private static void assertEqual(StepCounts.Amount step, int steps, long bytes, long messages) {
    assertThat(step.bytes() * steps).isCloseTo((double) bytes, within(1e-6 * (1 + bytes)));
    assertThat(step.messages() * steps).isCloseTo((double) messages, within(1e-6 * (1 + messages)));
  }

  /** All workers choose alike, and train as those who were told the depth. */
  @ParameterizedTest
  @CsvSource({"SAGE", "GAT"})
  void whatIsChosenIsTrained(ModelKind kind) {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), WORKERS);
      var shared = new SeedParallelCase(graph, owners, spec(kind));
      TrainSettings settings = settings(random, 1);
      Set<DepthChoice> choices = Collections.synchronizedSet(new HashSet<>());
      Set<Knobs> knobs = Collections.synchronizedSet(new HashSet<>());
      List<Trained> chosen =
          shared.each(
              settings,
              training -> {
                choices.add(Objects.requireNonNull(training.depthChoice()));
                knobs.add(training.knobs());
                return Trained.by(training);
              });
      assertThat(choices).hasSize(1);
      int depth = choices.iterator().next().depth();
      Depth came = knobs.iterator().next().batchSplit().depth();
      assertThat(came).isEqualTo(Depth.AUTO.chosen(depth)).hasToString("auto=" + depth);
      assertThat(Depth.parse(came.toString())).isEqualTo(came);
      List<Trained> fixed = shared.together(at(depth, settings));
      chosen.forEach(each -> each.assertSameBits(fixed.getFirst()));
    }
  }

  /** Whatever rates there are, the step of the worker that takes longest is the shortest. */
  @Test
  void choiceFollowsRates() {
    SplittableRandom random = TestSeed.random(this);
    DepthChoice counted;
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), WORKERS);
      var shared = new SeedParallelCase(graph, owners, spec(ModelKind.SAGE));
      counted =
          Objects.requireNonNull(
              shared.each(settings(random, 1), Training::depthChoice).getFirst());
    }
    for (int trial = 0; trial < 200; trial++) {
      StepRates rates = randomRates(random);
      boolean ahead = random.nextBoolean();
      double least =
          counted.candidates().stream()
              .mapToDouble(c -> longest(c, rates, ahead))
              .min()
              .orElseThrow();
      DepthChoice choice = new DepthChoice(counted.candidates(), rates, ahead);
      DepthCandidate chosen = counted.candidates().get(choice.depth());
      assertThat(longest(chosen, rates, ahead)).isCloseTo(least, within(1e-9 * least));
      assertThat(choice.line()).contains("depth " + choice.depth()).contains("next is depth");
    }
  }

  /** What it costs is traded: rows loaded and computed again against rows that travel. */
  @Test
  void everyDepthIsChosenAtSomeRates() {
    List<DepthCandidate> candidates = new ArrayList<>();
    for (int depth = 0; depth <= LAYERS; depth++) {
      var none = new StepCounts.Amount(0, 0);
      var rows = new StepCounts.Amount(Math.pow(4, LAYERS - depth), 0);
      var counts = new StepCounts(0, 0, Math.pow(4, depth), none, rows);
      candidates.add(
          new DepthCandidate(depth, 1, BatchWork.NOTHING, Collections.nCopies(2, counts)));
    }
    Set<Integer> chosen = new HashSet<>();
    for (double perByte = 1e-4; perByte < 1e4; perByte *= 2) {
      var rates = new StepRates(0, 0, 1, new LinkModel(perByte, 0));
      chosen.add(new DepthChoice(candidates, rates, false).depth());
    }
    assertThat(chosen).containsExactlyInAnyOrder(0, 1, 2, 3);
    // Where batches are loaded ahead, only the longer of both counts.
    var free = new StepRates(0, 0, 0, LinkModel.FREE);
    assertThat(new DepthChoice(candidates, free, true).depth()).isZero();
  }

  private static StepRates randomRates(SplittableRandom random) {
    return new StepRates(
        Math.exp(10 * random.nextDouble()) * 1e-9,
        Math.exp(10 * random.nextDouble()) * 1e-9,
        Math.exp(10 * random.nextDouble()) * 1e-12,
        new LinkModel(
            Math.exp(10 * random.nextDouble()) * 1e-10, Math.exp(10 * random.nextDouble()) * 1e-8));
  }

  /** By the definition, apart from how the product says it. */
  private static double longest(DepthCandidate candidate, StepRates rates, boolean ahead) {
    double[] all = new double[WORKERS];
    for (int rank = 0; rank < WORKERS; rank++) {
      StepCounts c = candidate.workers().get(rank);
      double loading =
          rates.perArc() * c.arcs() + rates.perRow() * c.loaded() + travel(rates, c.loading());
      double computing =
          rates.perMultiplication() * c.multiplications() + travel(rates, c.shuffling());
      all[rank] = ahead ? Math.max(loading, computing) : loading + computing;
    }
    return Arrays.stream(all).max().orElseThrow();
  }

  private static double travel(StepRates rates, StepCounts.Amount amount) {
    double each = 1.0 / (WORKERS - 1);
    return each
        * (rates.link().latency() * amount.messages()
            + rates.link().secondsPerByte() * amount.bytes());
  }
}
