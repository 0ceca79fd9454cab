package dev.heddle.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionFile;
import dev.heddle.graph.partition.PartitionSettings;
import dev.heddle.graph.partition.SampledPartitioner;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SampledWeights;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Who owns which vertex where workers compute batches together: by what some epochs of sampling
 * touch ({@link SampledPartitioner}). It is kept beside the store that the graph is in, by all that
 * it depends on, and made once.
 */
final class PresampledOwners {
  private final BatchSettings batches;
  private final boolean selfLoops;
  private final int epochs;
  private final TrainSettings settings;

  private PresampledOwners(
      BatchSettings batches, boolean selfLoops, int epochs, TrainSettings settings) {
    this.batches = batches;
    this.selfLoops = selfLoops;
    this.epochs = epochs;
    this.settings = settings;
  }

  /** The owners that settings ask for; null where they ask for others. */
  static @Nullable PresampledOwners of(ModelSpec model, TrainSettings settings) {
    BatchSettings batches = settings.batches();
    int epochs = settings.knobs().batchSplit().presample();
    if (batches == null || settings.knobs().split() != Split.BATCH || epochs == 0) {
      return null;
    }
    boolean aggregated = settings.knobs().fetch().aggregatedInputs();
    return new PresampledOwners(
        aggregated ? batches.withoutLastHop() : batches,
        model.kind().selfLoops(),
        epochs,
        settings);
  }

  /**
   * What was made before; null if nothing was.
   *
   * @param store of the graph; null if it is in none
   */
  @Nullable Partition read(Graph graph, int parts, @Nullable Path store) {
    Path file = file(graph, parts, store);
    return file != null && Files.exists(file) ? PartitionFile.read(file, graph, parts) : null;
  }

  /** Samples and partitions, and keeps what comes out beside the store. */
  Partition make(Graph graph, int parts, @Nullable Path store) {
    try (Memory memory = graph.memory().child();
        ThreadTeam team = ThreadTeam.of(settings.threads())) {
      SampledWeights weights =
          SampledWeights.of(
              graph.in(),
              TrainableGraph.split(graph).train(),
              batches.size(),
              batches.sampling(),
              selfLoops,
              epochs,
              settings.seed(),
              team,
              memory);
      PartitionSettings wanted = PartitionSettings.of(parts).withSeed(settings.seed());
      Partition made =
          SampledPartitioner.partition(graph.in(), weights.times(), weights.loads(), wanted, team);
      keep(made, graph, file(graph, parts, store));
      return made;
    }
  }

  private static void keep(Partition made, Graph graph, @Nullable Path file) {
    if (file == null) {
      return;
    }
    try {
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      PartitionFile.write(made, graph, file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GraphFormatException e) {
      throw new InputException(
          "owners cannot be kept beside the store: "
              + e.getMessage()
              + "; --presample 0 splits the"
              + " graph as the store says",
          e);
    }
  }

  /** A name for all that owners depend on, but for the graph, whose store they lie beside. */
  private @Nullable Path file(Graph graph, int parts, @Nullable Path store) {
    if (store == null) {
      return null;
    }
    SampleSettings sampling = batches.sampling();
    String text =
        String.join(
            " ",
            sampling.kind().toString(),
            sampling.fanouts().toString(),
            sampling.replace() + "",
            sampling.byWeight() + "",
            batches.size() + "",
            selfLoops + "",
            epochs + "",
            settings.seed() + "",
            graph.vertices() + "",
            graph.arcs() + "");
    CRC32C sum = new CRC32C();
    sum.update(text.getBytes(UTF_8));
    int[] train = TrainableGraph.split(graph).train();
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * train.length);
    bytes.asIntBuffer().put(train);
    sum.update(bytes);
    String name = "presampled-" + parts + "-" + HexFormat.of().toHexDigits((int) sum.getValue());
    Path whole = store.toAbsolutePath().normalize();
    return whole.resolveSibling(whole.getFileName() + ".owners").resolve(name + ".txt");
  }
}
