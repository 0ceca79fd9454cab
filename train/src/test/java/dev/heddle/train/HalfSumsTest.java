package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gradients of parameters that are summed as bfloat16: half the bytes, nearly the same steps. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HalfSumsTest {
  private static final int WORKERS = 3;
  private static final int EPOCHS = 8;

  /** What a worker came to. */
  private record Ended(List<Double> losses, long gradientBytes) {}

  private static Ended[] train(Graph graph, Partition owners, boolean half) {
    ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(2).hidden(32).build();
    TrainSettings settings =
        TrainSettings.builder()
            .epochs(EPOCHS)
            .threads(1)
            .knobs(Knobs.DEFAULT.withSync(Sync.everyStep(half)))
            .build();
    Ended[] all = new Ended[WORKERS];
    LocalWorkers.run(
        WORKERS,
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, group, owners)) {
            List<Double> losses = training.run().epochs().stream().map(EpochReport::loss).toList();
            long bytes =
                Objects.requireNonNull(training.sent().byKind().get(Kind.GRADIENT)).bytes();
            all[group.rank()] = new Ended(losses, bytes);
          }
        });
    return all;
  }

  @Test
  void halveTheBytesAndKeepTheSteps() {
    SplittableRandom random = TestSeed.random(this);
    try (Graph graph = ParallelCase.randomGraph(random, false)) {
      Partition owners = ParallelCase.randomOwners(random, graph.vertices(), WORKERS);
      Ended[] exact = train(graph, owners, false);
      Ended[] half = train(graph, owners, true);
      for (int worker = 0; worker < WORKERS; worker++) {
        assertThat(half[worker].losses).isEqualTo(half[0].losses);
        assertThat(2 * half[worker].gradientBytes).isEqualTo(exact[worker].gradientBytes);
        for (int epoch = 0; epoch < EPOCHS; epoch++) {
          double should = exact[worker].losses.get(epoch);
          assertThat(half[worker].losses.get(epoch)).isCloseTo(should, within(0.03 * should));
        }
      }
      assertThat(half[0].losses).isNotEqualTo(exact[0].losses);
    }
  }
}
