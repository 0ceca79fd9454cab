package dev.heddle.train.layers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.GradientSync;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainLoop;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A deep plain GCN on a graph of 40 classes in 32 chunks: by the published recipe (random chunks, a
 * first history of zeros, gradients counted twice) it hardly learns, by chunks of the partitioner,
 * an exact first history and gradients counted once it comes further in as many epochs.
 */
@Tag("slow")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class PublishedRecipeTest {
  private static final int VERTICES = 2000;
  private static final int CLASSES = 40;
  private static final int CHUNKS = 32;
  private static final int EPOCHS = 200;
  private static final int SEEDS = 3;

  /** The loss of who guesses all classes alike. */
  private static final double GUESSING = Math.log(CLASSES);

  private static Graph graph(int seed) {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      return CommunityGraph.of(VERTICES)
          .averageDegree(10)
          .communities(CLASSES)
          .classes(CLASSES)
          .width(64)
          .seed(100 + seed)
          .generate(team);
    }
  }

  @Test
  void comesFurtherThanThePublishedRecipe() {
    for (int seed = 0; seed < SEEDS; seed++) {
      try (Graph graph = graph(seed)) {
        double published = loss(graph, seed, true);
        double ours = loss(graph, seed, false);
        System.out.printf(
            Locale.ROOT, "seed %d: published %.3f, ours %.3f%n", seed, published, ours);
        assertThat(ours).isLessThan(GUESSING / 5);
        assertThat(published).isGreaterThan(3 * ours);
      }
    }
  }

  /** The mean training loss of the last ten epochs. */
  private static double loss(Graph graph, int seed, boolean published) {
    Compensation compensation = published ? Compensation.DOUBLE : Compensation.NONE;
    var split = new LayerSplit(1, 1, CHUNKS, compensation, History.DEFAULT);
    ModelSpec spec = ModelSpec.of(ModelKind.GCN).layers(8).hidden(64).build();
    TrainSettings settings =
        TrainSettings.builder()
            .learningRate(3e-3f)
            .seed(seed)
            .threads(1)
            .knobs(Knobs.DEFAULT.withLayers(split))
            .build();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      Worker worker = Worker.alone(graph, team, memory);
      LocalGraph local = LocalGraph.ofOutputs(graph, worker);
      Model model = Model.create(spec, local.shape(), memory, seed);
      LayerDivision division =
          published
              ? LayerDivision.by(random(seed), worker, graph, model, settings)
              : LayerDivision.of(worker, graph, model, settings, Partition.whole(graph.vertices()));
      LayerPipeline pipeline = LayerPipeline.of(local, division, settings);
      if (published) {
        // Rows of history are zeros until they are renewed.
        pipeline.halo().progress().renewed(0);
      }
      var gradients = GradientSync.of(Sync.DEFAULT, division.placement(), worker, seed);
      var loop = new TrainLoop(worker, pipeline.steps(), division.placement(), gradients, settings);
      double sum = 0;
      for (int epoch = 1; epoch <= EPOCHS; epoch++) {
        double loss = loop.epoch(epoch);
        sum += epoch > EPOCHS - 10 ? loss / 10 : 0;
      }
      assertThat(pipeline.outputs(new Step(0).evaluate()).rows()).isEqualTo(VERTICES);
      return sum;
    }
  }

  private static Chunks random(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int[] chunkOf = random.ints(VERTICES, 0, CHUNKS).toArray();
    return Chunks.given(Partition.of(CHUNKS, chunkOf), CHUNKS, seed);
  }
}
