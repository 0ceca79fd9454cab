package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Link;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.TrainSettings;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Epochs over slow links hide some of the time that rows travel, where they may overlap. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OverlapTimesTest {
  private static final int VERTICES = 4000;

  /** Half of each worker's vertices are central: they compute while rows travel. */
  @Test
  void centralRowsHideTravel() {
    try (Graph graph = graph()) {
      ExchangeTimes waiting = epochs(graph, false);
      ExchangeTimes overlapped = epochs(graph, true);
      System.out.printf(
          Locale.ROOT,
          "hidden: %.3f waiting, %.3f overlapped%n",
          waiting.hiddenFraction(),
          overlapped.hiddenFraction());
      assertThat(overlapped.exposedNanos()).isLessThan(overlapped.travelNanos());
      assertThat(overlapped.hiddenFraction()).isGreaterThan(waiting.hiddenFraction());
    }
  }

  private static ExchangeTimes epochs(Graph graph, boolean overlap) {
    // Communities of 500 vertices are in order, and few arcs leave them.
    int[] halves = new int[VERTICES];
    for (int v = 0; v < VERTICES; v++) {
      halves[v] = 2 * v / VERTICES;
    }
    Partition owners = Partition.of(2, halves);
    var halo = Knobs.DEFAULT.withOverlap(overlap);
    TrainSettings settings = TrainSettings.builder().knobs(halo).build();
    ModelSpec spec = ModelSpec.of(ModelKind.SAGE).layers(3).hidden(64).dropout(0).build();
    ExchangeTimes[] times = new ExchangeTimes[2];
    LocalWorkers.run(
        2,
        GroupSettings.DEFAULT.withLink(new Link(100e6, 0)),
        group -> {
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            try (LocalGraph share =
                LocalGraph.of(graph, new Worker(group, owners, team, memory), halo)) {
              Model model = Model.create(spec, share.shape(), memory, 1);
              LoopRun trainer = LoopRun.of(share, model, settings);
              for (int epoch = 1; epoch <= 20; epoch++) {
                double _ = trainer.epoch(epoch);
              }
              times[group.rank()] = share.haloReport().times();
            }
          }
        });
    return times[0];
  }

  private static Graph graph() {
    try (ThreadTeam workers = ThreadTeam.of(1)) {
      return CommunityGraph.of(VERTICES)
          .averageDegree(8)
          .communities(8)
          .homophily(0.95)
          .shuffled(false)
          .classes(5)
          .width(64)
          .seed(1)
          .generate(workers);
    }
  }
}
