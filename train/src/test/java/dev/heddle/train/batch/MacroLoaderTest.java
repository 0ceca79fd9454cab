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
import dev.heddle.graph.sample.ArcExchange;
import dev.heddle.graph.sample.BlockNeeds;
import dev.heddle.graph.sample.FeaturePlaces;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.graph.sample.OwnArcs;
import dev.heddle.graph.sample.SampleSettings;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.Sampler;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowRounding;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Timeline;
import java.lang.foreign.MemorySegment;
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
import org.junit.jupiter.params.provider.CsvSource;
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
    // Rows of 16 need no padding, those of 11 do.
    graph = graph(random.nextBoolean() ? 16 : 11);
    int[] part = IntStream.range(0, 2000).map(_ -> random.nextInt(WORKERS)).toArray();
    owners = Partition.of(WORKERS, part);
  }

  private Graph graph(int width) {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      return CommunityGraph.of(2000)
          .averageDegree(12)
          .communities(8)
          .classes(4)
          .width(width)
          .seed(random.nextLong())
          .generate(team);
    }
  }

  @AfterEach
  void free() {
    graph.close();
  }

  private Matrix features() {
    return ((DenseFeatures) Objects.requireNonNull(graph.features())).matrix();
  }

  /** How batches are loaded. */
  private record Manner(int macrobatch, boolean lastGathered, Wire wire, Cache cache) {
    Manner(int macrobatch) {
      this(macrobatch, false, Wire.PLAIN, new Cache(0, Rank.FIRST));
    }

    Manner gathered(boolean last) {
      return new Manner(macrobatch, last, wire, cache);
    }

    Manner by(Wire other) {
      return new Manner(macrobatch, lastGathered, other, cache);
    }

    Manner caching(int rows, Rank rank) {
      return new Manner(macrobatch, lastGathered, wire, new Cache(rows, rank));
    }
  }

  /**
   * How features travel.
   *
   * @param bits 32 for rows as they are
   */
  private record Wire(long mostBytes, int bits, long key) {
    static final Wire PLAIN = new Wire(Parcels.MOST_BYTES, 32, 0);

    static Wire rounding(int bits, long key) {
      return new Wire(Parcels.MOST_BYTES, bits, key);
    }

    RowForm form(RowIds vertices) {
      return bits == 32
          ? RowForm.AS_IT_IS
          : new RowForm.Rounded(new RowRounding(bits, key), vertices);
    }

    long rowBytes(int cols) {
      return bits == 32 ? 4L * cols : 4 + (cols * bits + 7) / 8;
    }
  }

  /** Rows of others that are kept. */
  private record Cache(int rows, Rank rank) {}

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
        ThreadTeam team = ThreadTeam.of(1)) {
      GraphPart part = GraphPart.of(graph, owners, rank, memory);
      FeaturePlaces places = FeaturePlaces.of(part, owners, memory);
      var needs = new BlockNeeds(false, Normalisation.MEAN, manner.lastGathered);
      OwnArcs arcs = OwnArcs.of(graph.in(), owners, rank, memory);
      Lane lane = new Timeline().training();
      var relay = new SampleRelay(group, memory, manner.wire.mostBytes, lane);
      Sampler sampler = NeighbourSampler.of(arcs, sampling, needs, team, memory, relay);
      Matrix own = ((DenseFeatures) Objects.requireNonNull(part.features())).matrix();
      var column =
          new OwnFeatures.Column(own, manner.wire.form(Objects.requireNonNull(part.ids())));
      var features = new OwnFeatures.Dense(List.of(column), false);
      float[][] should = arriving(manner.wire, rank);
      var source = new MacroLoader.Source(places, features, manner.lastGathered);
      SeedOrder seeds =
          SeedOrder.of(TRAIN, BATCH, 7).seeing(v -> owners.partOf(v) == rank).epoch(1);
      try (MacroLoader loader =
              new MacroLoader(
                  group, sampler, relay, source, team, memory, manner.wire.mostBytes, lane, lane);
          Macrobatch into = loader.newMacrobatch(manner.macrobatch)) {
        int kept = manner.cache.rows;
        if (kept > 0) {
          var odds = new AccessOdds(arcs, SAMPLING, memory);
          float each = (float) BATCH / SEEDS;
          loader.keep(
              switch (manner.cache.rank) {
                case FIRST -> cached(kept, rank);
                case PRESAMPLED -> CacheRanking.presampled(loader, seeds, into, kept);
                case PROBABLE -> CacheRanking.probable(group, odds, TRAIN, owners, each, kept);
              });
          seeds.epoch(1);
        }
        seen.before = group.traffic();
        for (int first = 0; first < seeds.batches(); first += manner.macrobatch) {
          int count = Math.min(manner.macrobatch, seeds.batches() - first);
          loader.load(seeds, first, count, into);
          for (int k = 0; k < count; k++) {
            Set<Integer> needed = check(into, k, should, first + k);
            if (manner.lastGathered) {
              needed.addAll(checkLastHop(into, k, should, seeds));
            }
            seen.needed.add(needed);
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

  /**
   * Features as a worker gets them: own ones as they are, others by an oracle that has them all.
   */
  private float[][] arriving(Wire wire, int rank) {
    float[][] rows = features().toArray();
    if (wire.bits == 32) {
      return rows;
    }
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      int[] others =
          IntStream.range(0, graph.vertices()).filter(v -> owners.partOf(v) != rank).toArray();
      QuantisedRows rounded = QuantisedRows.of(memory, others, null, wire.bits);
      MemorySegment bytes = memory.allocate(rounded.bytes(features().cols()));
      rounded.pack(team, features(), bytes, wire.key);
      Matrix all = Matrix.of(memory, rows);
      rounded.unpack(team, bytes, all);
      return all.toArray();
    }
  }

  /** Checks that all features are those of the vertices; returns these. */
  private static Set<Integer> check(Macrobatch into, int k, float[][] should, int number) {
    Set<Integer> needed = new HashSet<>();
    SampledBatch batch = into.batch(k);
    assertThat(batch.number()).isEqualTo(number);
    float[][] loaded = into.features(0).toArray();
    for (int row = 0; row < batch.rows(batch.hops()); row++) {
      int vertex = batch.ids().at(row);
      needed.add(vertex);
      assertThat(loaded[into.index(k).at(row)]).isEqualTo(should[vertex]);
    }
    return needed;
  }

  /** Checks the rows that arcs of the last hop named by vertex before they named rows. */
  private Set<Integer> checkLastHop(Macrobatch into, int k, float[][] should, SeedOrder seeds) {
    Set<Integer> needed = new HashSet<>();
    float[][] loaded = into.features(0).toArray();
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      var needs = new BlockNeeds(false, Normalisation.MEAN, true);
      OwnArcs whole = OwnArcs.whole(graph.in());
      Sampler alone = NeighbourSampler.of(whole, SAMPLING, needs, team, memory, ArcExchange.NONE);
      SampledBatch expected = alone.newBatch(memory);
      alone.sample(seeds, into.batch(k).number(), List.of(expected));
      var named = expected.hop(1).in();
      var is = into.batch(k).hop(1).in();
      assertThat(is.arcs()).isEqualTo(named.arcs());
      for (long arc = 0; arc < named.arcs(); arc++) {
        needed.add(named.id(arc));
        assertThat(loaded[is.id(arc)]).isEqualTo(should[named.id(arc)]);
      }
    }
    return needed;
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
  @CsvSource({"false, 32", "true, 32", "false, 8", "true, 4", "false, 2"})
  void everyRowTravelsOnce(boolean lastGathered, int bits) {
    Wire wire = Wire.rounding(bits, random.nextLong());
    for (int cached : new int[] {0, CACHED}) {
      long apart = 0;
      long idsApart = 0;
      for (int macrobatch : new int[] {1, 4, 16}) {
        Manner manner = new Manner(macrobatch).gathered(lastGathered).caching(cached, Rank.FIRST);
        List<Seen> seen = load(manner.by(wire));
        long bytes = 0;
        long ids = 0;
        for (int rank = 0; rank < WORKERS; rank++) {
          Seen one = seen.get(rank);
          long rows = distinctRows(one, rank, macrobatch, cached);
          assertThat(one.fetchedRows).isEqualTo(rows);
          assertThat(one.wantedRows).isEqualTo(distinctRows(one, rank, 1, cached));
          assertThat(one.cachedRows > 0).isEqualTo(cached > 0);
          assertThat(received(seen, rank)).isEqualTo(wire.rowBytes(features().cols()) * rows);
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

  /** Of wide rows little more than their elements travels. */
  @ParameterizedTest
  @CsvSource({"8, 3.9, 4", "4, 7.7, 8", "2, 15, 16"})
  void wideRowsTakeFewBytes(int bits, double least, double most) {
    graph.close();
    graph = graph(300);
    double exact = received(load(new Manner(16)), 0);
    double rounded = received(load(new Manner(16).by(Wire.rounding(bits, 1))), 0);
    assertThat(exact / rounded).isBetween(least, most);
  }

  /**
   * What comes from others, which {@link #load} compares with an oracle, is within a step of what
   * it is at its owner, and in the mean over vertices, columns and keys it is that.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8})
  void roundedFeaturesAreUnbiased(int bits) {
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < 4; i++) {
      Wire wire = Wire.rounding(bits, random.nextLong());
      Seen seen = load(new Manner(16).by(wire)).getFirst();
      Set<Integer> needed = new HashSet<>();
      seen.needed.forEach(needed::addAll);
      needed.removeIf(v -> owners.partOf(v) == 0);
      assertThat(needed).hasSizeGreaterThan(100);
      float[][] all = features().toArray();
      float[][] arrived = arriving(wire, 0);
      for (int vertex : needed) {
        float[] exact = all[vertex];
        double step = largestStep(exact, bits);
        for (int c = 0; c < exact.length; c++) {
          double error = (double) arrived[vertex][c] - exact[c];
          assertThat(Math.abs(error)).isLessThanOrEqualTo(step);
          sum += error;
          squares += error * error;
        }
      }
    }
    assertThat(squares).isPositive();
    assertThat(Math.abs(sum)).isLessThan(6 * Math.sqrt(squares));
  }

  /** A row's step, whose ends bfloat16 may have moved outwards by a 128th. */
  private static double largestStep(float[] row, int bits) {
    double min = Double.POSITIVE_INFINITY;
    double max = Double.NEGATIVE_INFINITY;
    for (float value : row) {
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
    return 1.01 * (max - min + Math.abs(min) / 128) / ((1 << bits) - 1);
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
    List<Seen> cut = load(new Manner(4).by(new Wire(100, 32, 0)));
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
    long arbitrary = rows(load(new Manner(4).caching(CACHED, Rank.FIRST)));
    for (Rank rank : new Rank[] {Rank.PRESAMPLED, Rank.PROBABLE}) {
      long chosen = rows(load(new Manner(4).caching(CACHED, rank)));
      assertThat(chosen).as(rank.name()).isLessThan(arbitrary);
    }
  }

  private static long rows(List<Seen> seen) {
    return seen.stream().mapToLong(s -> s.fetchedRows).sum();
  }
}
