package dev.heddle.train;

import static dev.heddle.train.SeedParallelCase.settings;
import static dev.heddle.train.SeedParallelCase.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.Fetch;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.RowCodec;
import dev.heddle.train.settings.TrainSettings;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Features that workers fetch for batches in few bits. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RoundedFetchTest {
  /**
   * What several workers' epochs come to.
   *
   * @param bytes of features that all sent
   */
  private record Epochs(double first, double last, long bytes) {}

  private static Epochs epochs(Graph graph, ModelSpec spec, TrainSettings settings) {
    int[] part = IntStream.range(0, graph.vertices()).map(v -> v % 3).toArray();
    Partition owners = Partition.of(3, part);
    Epochs[] all = new Epochs[3];
    LocalWorkers.run(
        3,
        GroupSettings.DEFAULT,
        group -> {
          try (Training training = Training.of(graph, spec, settings, group, owners)) {
            Traffic before = group.traffic();
            double first = training.epoch(1).loss();
            double last = first;
            for (int epoch = 2; epoch <= settings.epochs(); epoch++) {
              last = training.epoch(epoch).loss();
            }
            long[] bytes = {group.traffic().since(before).of(Kind.FEATURE).bytes()};
            group.sum(bytes);
            all[group.rank()] = new Epochs(first, last, bytes[0]);
          }
        });
    return all[2];
  }

  /** Rounded features are as good as exact ones, at exactly so much fewer bytes. */
  @ParameterizedTest
  @CsvSource({
    "SAGE, BITS8, false, 0.02",
    "GCN, BITS8, true, 0.02",
    "SAGE, BITS4, true, 0.1",
    "GCN, BITS4, false, 0.1"
  })
  void roundedFeaturesTrainAlmostLikeExactOnes(
      ModelKind kind, CodecKind codec, boolean aggregated, double tolerance) {
    SplittableRandom random = TestSeed.random(this);
    int width = 13;
    try (ThreadTeam threads = ThreadTeam.of(1);
        Graph graph =
            CommunityGraph.of(600)
                .averageDegree(6)
                .communities(8)
                .classes(4)
                .width(width)
                .seed(random.nextLong())
                .generate(threads)) {
      ModelSpec spec =
          ModelSpec.of(kind).layers(2).hidden(16).dropout(0).norm(NormKind.LAYER).build();
      BatchSettings batches = new BatchSettings(40, SampleSettings.neighbours(4, 4));
      TrainSettings exact =
          TrainSettings.builder()
              .epochs(20)
              .learningRate(0.01f)
              .threads(1)
              .seed(3)
              .batches(batches)
              .build()
              .withFetch(Fetch.DEFAULT.withAggregatedInputs(aggregated));
      Epochs expected = epochs(graph, spec, exact);
      Knobs few = exact.knobs().withCodec(RowCodec.of(codec));
      Epochs rounded = epochs(graph, spec, exact.withKnobs(few));
      assertThat(expected.last).isLessThan(0.9 * expected.first);
      assertThat(rounded.first).isCloseTo(expected.first, within(tolerance * expected.first));
      assertThat(rounded.last).isCloseTo(expected.last, within(tolerance * expected.first));
      assertThat(rounded.last).isNotEqualTo(expected.last);
      long rows = expected.bytes / (4L * width);
      assertThat(rows).isPositive();
      assertThat(rounded.bytes).isEqualTo(rows * (4 + (width * codec.bits() + 7) / 8));
    }
  }
}
