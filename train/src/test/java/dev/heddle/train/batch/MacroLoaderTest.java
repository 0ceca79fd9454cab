package dev.heddle.train.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Kind;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.comm.Parcels;
import dev.heddle.comm.Traffic;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.sample.AccessOdds;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.OwnArcs;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Workers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What loading several batches at once gets, and what it sends for that. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class MacroLoaderTest {
  private static final int WORKERS = 3;
  private static final int SEEDS = 240;
  private static final int BATCH = 15;
  private static final int CACHED = 150;
  private static final int[] TRAIN = IntStream.range(0, SEEDS).toArray();
  private static final SampleSettings SAMPLING = SampleSettings.neighbours(5, 4);
  private static final List<Kind> KINDS =
      List.of(Kind.SAMPLE_REQUEST, Kind.SAMPLE, Kind.FEATURE_REQUEST, Kind.FEATURE);

  private SplittableRandom random = new SplittableRandom();
  private SampleSettings sampling = SAMPLING;
  private Graph graph;
  private Partition owners = Partition.of(1, new int[0]);

  @BeforeEach
  void generate() {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println("MacroLoaderTest -Dheddle.seed=" + seed);
    random = new SplittableRandom(seed);
    try (Workers workers = Workers.of(1)) {
      graph =
          CommunityGraph.of(2000)
              .averageDegree(12)
              .communities(8)
              .classes(4)
              // Rows of 16 need no padding, those of 11 do.
              .width(random.nextBoolean() ? 16 : 11)
              .seed(seed)
              .generate(workers);
    }
    int[] part = IntStream.range(0, 2000).map(_ -> random.nextInt(WORKERS)).toArray();
    owners = Partition.of(WORKERS, part);
  }

  @AfterEach
  void free() {
    graph.close();
  }

  private Matrix features() {
    return ((DenseFeatures) Objects.requireNonNull(graph.features())).matrix();
  }

  /** How batches are loaded. */
  private record Manner(
      int macrobatch, boolean lastGathered, long mostBytes, int cached, Rank rank) {
    Manner(int macrobatch) {
      this(macrobatch, false, Parcels.MOST_BYTES, 0);
    }

    Manner(int macrobatch, boolean lastGathered, long mostBytes, int cached) {
      this(macrobatch, lastGathered, mostBytes, cached, Rank.FIRST);
    }
  }

  /** Which vertices of others are cached. */
  private enum Rank {
    FIRST,
    PRESAMPLED,
    PROBABLE
  }

  /** What one worker loaded and sent. */
  private static final class Seen {
    /** Of each batch, the vertices whose features it needs. */
    final List<Set<Integer>> needed = new ArrayList<>();

    Traffic sent = new Traffic(List.of());
    Traffic before = new Traffic(List.of());
    long fetchedRows;
    long wantedRows;
    long cachedRows;

    Traffic sent() {
      return sent.since(before);
    }
  }

  /** Loads an epoch at all workers; checks every row of features that comes. */
  private List<Seen> load(Manner manner) {
    Seen[] all = new Seen[WORKERS];
    LocalWorkers.run(
        WORKERS, GroupSettings.DEFAULT, group -> all[group.rank()] = load(group, manner));
    return List.of(all);
  }

  private Seen load(Group group, Manner manner) {
    Seen seen = new Seen();
    int rank = group.rank();
    try (Memory memory = new Memory();
        Workers workers = Workers.of(1)) {
      var place = new NeighbourSampler.Place(workers, memory);
      GraphPart part = GraphPart.of(graph, owners, rank, memory);
      FeaturePlaces places = FeaturePlaces.of(part, owners, memory);
      var needs = new BlockNeeds(false, Normalisation.MEAN, manner.lastGathered);
      OwnArcs arcs = OwnArcs.of(graph.in(), owners, rank, memory);
      MacroSampler sampler = MacroSampler.of(arcs, sampling, needs, place);
      Matrix own = ((DenseFeatures) Objects.requireNonNull(part.features())).matrix();
      var features = new OwnFeatures.Dense(List.of(own), false);
      var source = new MacroLoader.Source(places, features, manner.lastGathered);
      SeedOrder seeds =
          SeedOrder.of(TRAIN, BATCH, 7).seeing(v -> owners.partOf(v) == rank).epoch(1);
      try (MacroLoader loader =
              MacroLoader.cutting(group, sampler, source, place, manner.mostBytes);
          Macrobatch into = loader.newMacrobatch(manner.macrobatch)) {
        if (manner.cached > 0) {
          var odds = new AccessOdds(arcs, SAMPLING, memory);
          var learnt = new CacheRanking.Learnt(TRAIN, owners, (float) BATCH / SEEDS);
          loader.keep(
              switch (manner.rank) {
                case FIRST -> cached(manner.cached, rank);
                case PRESAMPLED -> CacheRanking.presampled(loader, seeds, into, manner.cached);
                case PROBABLE -> CacheRanking.probable(group, odds, learnt, manner.cached);
              });
          seeds.epoch(1);
        }
        seen.before = group.traffic();
        for (int first = 0; first < seeds.batches(); first += manner.macrobatch) {
          int count = Math.min(manner.macrobatch, seeds.batches() - first);
          loader.load(seeds, first, count, into);
          for (int k = 0; k < count; k++) {
            seen.needed.add(check(into, k, manner.lastGathered, seeds, first + k));
          }
        }
        seen.sent = group.traffic();
        seen.fetchedRows = loader.fetchedRows();
        seen.wantedRows = loader.wantedRows();
        seen.cachedRows = loader.cachedRows();
      }
    }
    return seen;
  }

  /** The first vertices of others. */
  private int[] cached(int count, int rank) {
    return IntStream.range(0, graph.vertices())
        .filter(v -> owners.partOf(v) != rank)
        .limit(count)
        .toArray();
  }

  /** Checks that all features are those of the vertices; returns these. */
  private Set<Integer> check(
      Macrobatch into, int k, boolean lastGathered, SeedOrder seeds, int number) {
    Set<Integer> needed = new HashSet<>();
    SampledBatch batch = into.batch(k);
    assertThat(batch.number()).isEqualTo(number);
    for (int row = 0; row < batch.rows(batch.hops()); row++) {
      int vertex = batch.ids().at(row);
      needed.add(vertex);
      assertFeatures(into.features(0), into.index(k).at(row), vertex);
    }
    if (lastGathered) {
      // What the arcs named before they named rows.
      try (Memory memory = new Memory();
          Workers workers = Workers.of(1);
          NeighbourSampler alone =
              NeighbourSampler.of(
                  graph.in(),
                  SAMPLING,
                  new BlockNeeds(false, Normalisation.MEAN, true),
                  new NeighbourSampler.Place(workers, memory));
          SampledBatch expected = alone.newBatch(memory)) {
        alone.sample(seeds, number, expected);
        var should = expected.hop(1).in();
        var is = batch.hop(1).in();
        assertThat(is.arcs()).isEqualTo(should.arcs());
        for (long arc = 0; arc < should.arcs(); arc++) {
          needed.add(should.id(arc));
          assertFeatures(into.features(0), is.id(arc), should.id(arc));
        }
      }
    }
    return needed;
  }

  private void assertFeatures(Matrix loaded, int row, int vertex) {
    for (int c = 0; c < loaded.cols(); c++) {
      assertThat(loaded.get(row, c)).isEqualTo(features().get(vertex, c));
    }
  }

  /** As many messages as the formula says: exactly K times fewer for each pair and hop. */
  @Test
  void messagesAreFewerByTheNumberOfBatchesAtOnce() {
    int batches = SEEDS / BATCH;
    for (int macrobatch : new int[] {1, 2, 4, 8, 16}) {
      int rounds = batches / macrobatch;
      List<Seen> before = List.of();
      for (int hops = 1; hops <= 3; hops++) {
        sampling = SampleSettings.neighbours(Collections.nCopies(hops, 3).toArray(Integer[]::new));
        List<Seen> seen = load(new Manner(macrobatch));
        for (int from = 0; from < WORKERS; from++) {
          for (int to = 0; to < WORKERS; to++) {
            int each = from == to ? 0 : rounds;
            Traffic sent = seen.get(from).sent().to(to);
            for (Kind kind : List.of(Kind.SAMPLE_REQUEST, Kind.SAMPLE)) {
              long less = hops == 1 ? 0 : before.get(from).sent().to(to).of(kind).messages();
              assertThat(sent.of(kind).messages() - less).as("hop %d", hops).isEqualTo(each);
            }
            assertThat(sent.of(Kind.FEATURE_REQUEST).messages()).isEqualTo(each);
            assertThat(sent.of(Kind.FEATURE).messages()).isEqualTo(each);
          }
        }
        before = seen;
      }
    }
  }

  /** Features travel once for all batches that need them, and nothing else with them. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyRowTravelsOnce(boolean lastGathered) {
    for (int cached : new int[] {0, CACHED}) {
      long apart = 0;
      long idsApart = 0;
      for (int macrobatch : new int[] {1, 4, 16}) {
        List<Seen> seen = load(new Manner(macrobatch, lastGathered, Parcels.MOST_BYTES, cached));
        long bytes = 0;
        long ids = 0;
        for (int rank = 0; rank < WORKERS; rank++) {
          Seen one = seen.get(rank);
          long rows = distinctRows(one, rank, macrobatch, cached);
          assertThat(one.fetchedRows).isEqualTo(rows);
          assertThat(one.wantedRows).isEqualTo(distinctRows(one, rank, 1, cached));
          assertThat(one.cachedRows > 0).isEqualTo(cached > 0);
          assertThat(received(seen, rank)).isEqualTo(4L * features().cols() * rows);
          bytes += received(seen, rank);
          ids += one.sent().of(Kind.SAMPLE_REQUEST).bytes();
        }
        if (macrobatch == 1) {
          apart = bytes;
          idsApart = ids;
        } else {
          assertThat(bytes).isLessThan(apart);
          assertThat(ids).isLessThan(idsApart);
        }
      }
    }
  }

  private static long received(List<Seen> seen, int rank) {
    return seen.stream().mapToLong(s -> s.sent().to(rank).of(Kind.FEATURE).bytes()).sum();
  }

  /** Rows of others that each macrobatch needs and that are not in the cache. */
  private long distinctRows(Seen seen, int rank, int macrobatch, int cached) {
    Set<Integer> inCache = new HashSet<>();
    IntStream.of(cached(cached, rank)).forEach(inCache::add);
    long rows = 0;
    for (int first = 0; first < seen.needed.size(); first += macrobatch) {
      Set<Integer> all = new HashSet<>();
      seen.needed
          .subList(first, Math.min(first + macrobatch, seen.needed.size()))
          .forEach(all::addAll);
      rows += all.stream().filter(v -> owners.partOf(v) != rank && !inCache.contains(v)).count();
    }
    return rows;
  }

  /** Messages of a few bytes come to the same. */
  @Test
  void longAnswersAreCut() {
    List<Seen> whole = load(new Manner(4));
    List<Seen> cut = load(new Manner(4, false, 100, 0));
    for (int rank = 0; rank < WORKERS; rank++) {
      assertThat(cut.get(rank).needed).isEqualTo(whole.get(rank).needed);
      for (Kind kind : KINDS) {
        Traffic one = whole.get(rank).sent().of(kind);
        Traffic many = cut.get(rank).sent().of(kind);
        assertThat(many.bytes()).isEqualTo(one.bytes());
        assertThat(many.messages()).isGreaterThanOrEqualTo(one.bytes() / 100);
      }
    }
  }

  /** What is needed most often is worth more than anything. */
  @Test
  void cachesKeepWhatIsNeededMost() {
    long arbitrary = rows(load(new Manner(4, false, Parcels.MOST_BYTES, CACHED)));
    for (Rank rank : new Rank[] {Rank.PRESAMPLED, Rank.PROBABLE}) {
      long chosen = rows(load(new Manner(4, false, Parcels.MOST_BYTES, CACHED, rank)));
      assertThat(chosen).as(rank.name()).isLessThan(arbitrary);
    }
  }

  private static long rows(List<Seen> seen) {
    return seen.stream().mapToLong(s -> s.fetchedRows).sum();
  }
}
