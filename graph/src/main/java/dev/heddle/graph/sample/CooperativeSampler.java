package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PagedArcs;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Samples batches by all workers together (split parallelism of GSplit, arXiv 2303.13775): at every
 * depth a vertex has a row at its owner and nowhere else, and its owner draws its arcs. All workers
 * together have the rows and arcs that one worker would have, by draws of the same keys.
 *
 * <p>A hop at a worker, whose rows are the vertices F of the depth that it owns: draw the arcs of
 * F; the sources that it owns get the next rows, in the order of their first naming; all others are
 * asked of their owners, by vertex alone; and what other workers ask for here gets the rows behind,
 * in the order of their ranks. Nobody answers: rows travel when the model needs them, as {@link
 * SampledShuffle} says. Requests of all batches that are sampled at once travel together.
 *
 * <p>The hops nearest the seeds may be left to each worker for its own seeds ({@link
 * NeighbourSampler}): at the depth where they end, the rows that these need are asked of their
 * owners, who go on from there. Small frontiers then cost no rounds between layers.
 */
public final class CooperativeSampler implements Sampler {
  private static final int BLOCK = 4096;

  private final OwnArcs own;
  private final @Nullable PagedArcs paged;
  private final SampleSettings settings;
  private final BlockNeeds needs;
  private final boolean weighted;
  private final List<HopDraw> draws;
  private final int depth;
  private final @Nullable NeighbourSampler above;
  private final ThreadTeam team;
  private final ArcExchange exchange;
  private final Memory kept;
  private final HopArcs hopArcs;
  private final RowNumbers numbers;
  private final ArcTransposer transposer;

  /** What this worker asks of each other. */
  private final List<ArcRequest> requests;

  /** What each other asks of this worker. */
  private final List<ArcRequest> asked;

  /** For each batch, as many as there have been at once. */
  private final List<Naming> namings = new ArrayList<>();

  private final Task sortTask = this::sort;
  private final Task renameTask = this::rename;

  // What is being sampled.
  private List<SampledBatch> batches = List.of();
  private SeedOrder seeds = SeedOrder.of(new int[0], 1, 0);
  private int hop;

  // What is being renamed.
  private MemorySegment renamed = MemorySegment.NULL;
  private MemorySegment rowOf = MemorySegment.NULL;
  private long renamedCount;
  private int destinations;
  private int ownRows;

  private CooperativeSampler(
      OwnArcs own,
      SampleSettings settings,
      int depth,
      BlockNeeds needs,
      ThreadTeam team,
      Memory memory,
      ArcExchange exchange) {
    this.own = own;
    this.settings = settings;
    this.depth = depth;
    this.needs = needs;
    this.team = team;
    this.exchange = exchange;
    NeighbourArcs arcs = NeighbourArcs.of(own, needs, memory);
    paged = own.paged(arcs.others());
    weighted = needs.weighs(own.in());
    draws = HopDraw.of(settings, arcs, weighted);
    kept = memory.child();
    above =
        depth == 0
            ? null
            : NeighbourSampler.of(own, settings.first(depth), needs, team, kept, exchange);
    requests = IntStream.range(0, own.workers()).mapToObj(_ -> new ArcRequest()).toList();
    asked = IntStream.range(0, own.workers()).mapToObj(_ -> new ArcRequest()).toList();
    // All rows are own ones: no arcs arrive.
    boolean alike = arcs.others().weights() == null;
    var arrived = new ArrivedArcs(own.workers(), arcs, weighted, alike, kept);
    hopArcs = new HopArcs(own, arcs, needs, arrived, team);
    numbers = new RowNumbers(team, kept, arcs.vertices());
    transposer = new ArcTransposer(team, kept);
    MemorySegment roots = arcs.scales();
    if (roots != null && !own.everything()) {
      exchange.sum(roots);
    }
  }

  /**
   * A sampler of neighbours; all workers make theirs alike and in the same order.
   *
   * @param depth hops that each worker samples for its own seeds alone
   * @param team runs its loops, and nobody else's while it samples
   * @param memory where it keeps its tables; whoever made the memory closes it
   * @param exchange with the samplers of other workers
   */
  public static CooperativeSampler of(
      OwnArcs arcs,
      SampleSettings settings,
      int depth,
      BlockNeeds needs,
      ThreadTeam team,
      Memory memory,
      ArcExchange exchange) {
    if (depth < 0 || depth > settings.hops()) {
      throw new IllegalArgumentException(
          "of " + settings.hops() + " hops, " + depth + " cannot be sampled by each worker alone");
    }
    if (settings.kind().induced()) {
      throw new IllegalArgumentException(
          "the " + settings.kind() + " sampler draws subgraphs, which no owner can extend alone");
    }
    if (needs.sumsLastHop()) {
      throw new IllegalArgumentException("sources of the last hop need rows to be shuffled");
    }
    return new CooperativeSampler(arcs, settings, depth, needs, team, memory, exchange);
  }

  /** What the sources of a hop of a batch are called until all of its rows are known. */
  private static final class Naming {
    /**
     * Ints, for each source that is no destination, in the order of first naming: its row, or of
     * another worker's vertex {@code ~place} among those.
     */
    private final GrowingBuffer rowOf;

    private long arcs;
    private int own;
    private int others;
    private int joined;

    Naming(Memory memory) {
      rowOf = new GrowingBuffer(memory);
    }

    /** Begins with so many vertices to be named, behind so many own rows. */
    void begin(int vertices, int rows) {
      rowOf.require((long) vertices * Integer.BYTES);
      own = rows;
      others = 0;
      joined = 0;
    }
  }

  @Override
  public SampledBatch newBatch(Memory memory) {
    return SampledBatch.ofShuffledHops(memory, draws.size(), weighted, needs, own.workers(), depth);
  }

  @Override
  public void sample(SeedOrder order, int first, List<SampledBatch> into) {
    if (into.size() > ArcRequest.MOST_BATCHES) {
      throw new IllegalArgumentException(
          "at most "
              + ArcRequest.MOST_BATCHES
              + " batches are sampled at once, not "
              + into.size());
    }
    batches = into;
    seeds = order;
    while (namings.size() < into.size()) {
      namings.add(new Naming(kept));
    }
    if (above == null) {
      for (int k = 0; k < into.size(); k++) {
        into.get(k).begin(seeds, first + k);
      }
    } else {
      above.sample(seeds, first, into);
      handOver();
    }
    for (hop = depth; hop < draws.size(); hop++) {
      requests.forEach(ArcRequest::clear);
      if (paged != null) {
        announce(paged);
      }
      for (int k = 0; k < into.size(); k++) {
        nameSources(k);
      }
      ask();
      for (int k = 0; k < into.size(); k++) {
        finish(k);
      }
    }
  }

  private void ask() {
    team.run(requests.size(), sortTask);
    exchange.tell(this);
    listShuffles();
  }

  /** Leaves the rows that each worker's own seeds have led to so far to their owners. */
  private void handOver() {
    hop = depth - 1;
    requests.forEach(ArcRequest::clear);
    for (int k = 0; k < batches.size(); k++) {
      SampledBatch batch = batches.get(k);
      Naming naming = namings.get(k);
      int wanted = batch.rows(depth);
      MemorySegment _ = shuffle(k).order(wanted);
      MemorySegment list = batch.room(depth, wanted, 0);
      naming.begin(wanted, 0);
      for (int row = 0; row < wanted; row++) {
        give(naming, k, row, batch.ids().at(row), list);
      }
    }
    ask();
    for (int k = 0; k < batches.size(); k++) {
      MemorySegment order = shuffle(k).order(shuffle(k).wanted());
      MemorySegment table = namings.get(k).rowOf.segment();
      int rows = batches.get(k).rows(depth);
      for (int i = 0; i < shuffle(k).wanted(); i++) {
        int row = table.getAtIndex(JAVA_INT, i);
        order.setAtIndex(JAVA_INT, i, row < 0 ? rows + ~row : row);
      }
    }
  }

  /** Gives a vertex the next row if it is an own one; asks its owner for it if not. */
  private void give(Naming naming, int k, int number, int vertex, MemorySegment list) {
    int owner = own.owners().partOf(vertex);
    if (owner == own.worker()) {
      naming.rowOf.segment().setAtIndex(JAVA_INT, number, naming.own);
      list.setAtIndex(JAVA_INT, naming.own++, vertex);
    } else {
      requests.get(owner).add(vertex, k, number);
    }
  }

  private void sort(int worker) {
    requests.get(worker).sort();
  }

  /** Starts reading the arcs that will be drawn from, first where they are, then the arcs. */
  private void announce(PagedArcs files) {
    forRows(files::expectPlace);
    forRows(files::expect);
  }

  private void forRows(IntConsumer action) {
    for (SampledBatch of : batches) {
      for (int row = 0, count = of.rows(hop); row < count; row++) {
        action.accept(of.ids(hop).at(row));
      }
    }
  }

  /** Draws the arcs of a batch's rows; gives own sources rows, and lists others' to ask for. */
  private void nameSources(int k) {
    SampledBatch batch = batches.get(k);
    Naming naming = namings.get(k);
    long key = HopKey.of(settings, seeds, batch, hop);
    naming.arcs = hopArcs.write(hop, draws.get(hop), key, k, batch);
    int rows = batch.rows(hop);
    long most = Math.min(rows + naming.arcs, own.in().rows());
    numbers.begin(batch.ids(hop).values(), rows);
    MemorySegment list = batch.room(hop, most, rows);
    numbers.expect(list, naming.arcs);
    int sources = numbers.number(hopArcs.drawn().ids(), naming.arcs);
    naming.begin(sources - rows, rows);
    for (int number = rows; number < sources; number++) {
      give(naming, k, number - rows, list.getAtIndex(JAVA_INT, number), list);
    }
  }

  private SampledShuffle shuffle(int k) {
    return batches.get(k).hop(hop).shuffle();
  }

  /** Lists, for every batch, what it gets of others and what it gives them. */
  private void listShuffles() {
    for (int k = 0; k < batches.size(); k++) {
      shuffle(k).clear();
    }
    for (int worker = 0; worker < own.workers(); worker++) {
      ArcRequest given = asked.get(worker);
      for (int pair = 0; pair < given.pairs(); pair++) {
        shuffle(given.batch(pair)).countSent(worker);
      }
      ArcRequest wanted = requests.get(worker);
      for (int pair = 0; pair < wanted.pairs(); pair++) {
        int k = wanted.batch(pair);
        Naming naming = namings.get(k);
        naming.rowOf.segment().setAtIndex(JAVA_INT, wanted.row(pair), ~naming.others++);
        shuffle(k).countReceived(worker);
      }
    }
    for (int k = 0; k < batches.size(); k++) {
      shuffle(k).counted();
    }
    for (ArcRequest given : asked) {
      for (int pair = 0; pair < given.pairs(); pair++) {
        int k = given.batch(pair);
        int vertex = given.vertex(pair);
        if (own.owners().partOf(vertex) != own.worker()) {
          throw new IllegalStateException("asked for vertex " + vertex + ", which another owns");
        }
        shuffle(k).sentRows().setAtIndex(JAVA_INT, namings.get(k).joined++, vertex);
      }
    }
    for (int k = 0; k < batches.size(); k++) {
      join(k);
    }
    // Places count on from worker to worker, as above.
    for (int k = 0; k < batches.size(); k++) {
      namings.get(k).others = 0;
    }
    for (ArcRequest wanted : requests) {
      for (int pair = 0; pair < wanted.pairs(); pair++) {
        int k = wanted.batch(pair);
        shuffle(k).receive(namings.get(k).others++, wanted.vertex(pair));
      }
    }
  }

  /** Gives rows to what others ask for. */
  private void join(int k) {
    SampledBatch batch = batches.get(k);
    Naming naming = namings.get(k);
    numbers.begin(batch.ids(hop + 1).values(), naming.own);
    long most = Math.min((long) naming.own + naming.joined, own.in().rows());
    numbers.expect(batch.room(hop + 1, most, naming.own), naming.joined);
    int rows = numbers.number(shuffle(k).sentRows(), naming.joined);
    batch.rows(hop + 1, rows);
    shuffle(k).begin(batch.ids(hop + 1), rows);
  }

  /** Puts rows in the place of the numbers of a batch's sources, and writes the block. */
  private void finish(int k) {
    SampledBatch batch = batches.get(k);
    Naming naming = namings.get(k);
    SampledHop made = batch.hop(hop);
    renamed = made.drawn().ids();
    renamedCount = naming.arcs;
    rowOf = naming.rowOf.segment();
    destinations = batch.rows(hop);
    ownRows = batch.rows(hop + 1);
    team.run((int) ((renamedCount + BLOCK - 1) / BLOCK), renameTask);
    SampledShuffle shuffle = made.shuffle();
    int sources = shuffle.sources();
    if (made.hasScales()) {
      hopArcs.writeScales(shuffle.ids(), sources, made.scales(sources));
    }
    made.finish(destinations, sources, transposer);
  }

  private void rename(int block) {
    long end = Math.min(renamedCount, (block + 1L) * BLOCK);
    for (long arc = (long) block * BLOCK; arc < end; arc++) {
      int number = renamed.getAtIndex(JAVA_INT, arc);
      if (number >= destinations) {
        int row = rowOf.getAtIndex(JAVA_INT, number - destinations);
        renamed.setAtIndex(JAVA_INT, arc, row < 0 ? ownRows + ~row : row);
      }
    }
  }

  /** Bytes that {@link #writeRequest} takes, at most. */
  public long mostRequestBytes(int worker) {
    return requests.get(worker).mostBytes(batches.size());
  }

  /**
   * Writes which vertices a worker is asked for in this hop; returns how many bytes that is.
   *
   * @param from where in {@code into} the request begins
   */
  public long writeRequest(int worker, MemorySegment into, long from) {
    return requests.get(worker).write(batches.size(), into, from) - from;
  }

  /**
   * Reads which vertices another worker asks for in this hop.
   *
   * @param from where the request begins
   * @param bytes of the request
   */
  public void readRequest(int worker, MemorySegment request, long from, long bytes) {
    asked.get(worker).read(batches.size(), request, from, from + bytes);
  }

  @Override
  public long tableBytes() {
    return numbers.bytes();
  }

  @Override
  public long bytes() {
    return kept.bytes();
  }
}
