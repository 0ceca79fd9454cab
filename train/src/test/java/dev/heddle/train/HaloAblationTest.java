package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Link;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Rounding rows and hiding their travel each save waiting on a slow link, and both together save
 * more (AdaQP, Wan et al., 2023).
 */
@Tag("slow")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class HaloAblationTest {
  private static final int VERTICES = 12_000;
  private static final int WORKERS = 2;

  @Test
  void eachPartSavesWaiting() {
    try (Graph graph = graph()) {
      double vanilla = waiting(graph, CodecKind.FP32, false);
      double quantised = waiting(graph, CodecKind.ADAPTIVE, false);
      double overlapped = waiting(graph, CodecKind.FP32, true);
      double both = waiting(graph, CodecKind.ADAPTIVE, true);
      System.out.printf(
          Locale.ROOT,
          "seconds waited in an epoch: vanilla %.4f, quantised %.4f, overlapped %.4f, both %.4f%n",
          vanilla,
          quantised,
          overlapped,
          both);
      assertThat(both).isLessThan(quantised);
      assertThat(both).isLessThan(overlapped);
      assertThat(quantised).isLessThan(vanilla);
      assertThat(overlapped).isLessThan(vanilla);
    }
  }

  /** What a worker waits for rows in a typical epoch. */
  private static double waiting(Graph graph, CodecKind codec, boolean overlap) {
    int[] halves = new int[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
      halves[v] = WORKERS * v / VERTICES;
    }
    Partition owners = Partition.of(WORKERS, halves);
    TrainSettings settings =
        TrainSettings.builder()
            .epochs(24)
            .evaluateEvery(24)
            .threads(1)
            .knobs(Knobs.DEFAULT.withCodec(RowCodec.of(codec)).withOverlap(overlap))
            .build();
    ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(3).hidden(64).build();
    double[] seconds = new double[WORKERS];
    LocalWorkers.run(
        WORKERS,
        GroupSettings.DEFAULT.withLink(new Link(50e6, 0.2e-3)),
        group -> {
          try (Training training = Training.of(graph, spec, settings, group, owners)) {
            TrainResult _ = training.run();
            seconds[group.rank()] = training.halo().typical().exposedSeconds();
          }
        });
    return seconds[0];
  }

  /** Communities in order, so that few arcs leave a half and most vertices are central. */
  private static Graph graph() {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      return CommunityGraph.of(VERTICES)
          .averageDegree(10)
          .communities(24)
          .homophily(0.97)
          .shuffled(false)
          .classes(5)
          .width(64)
          .seed(1)
          .generate(team);
    }
  }
}
