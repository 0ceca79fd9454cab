package dev.heddle.graph.sample;

import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PagedArcs;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Samples hop by hop: every vertex that has a row draws some of its in-arcs, and the vertices these
 * come from get the next rows. A vertex that has its row from an earlier hop draws anew in every
 * hop, so that each layer has a sample of its own.
 *
 * <p>Sums over sampled arcs are unbiased: arcs weigh what they stand for. Degrees of symmetric
 * normalisation are those of the whole graph, which gives the layer's own normalisation in
 * expectation, and exactly it where all arcs are taken; libraries that count degrees in the sample
 * have neither.
 *
 * <p>Of several workers each has the in-arcs of its own vertices, unless all have all arcs, and all
 * workers sample the same batches at a time, several at once (macrobatches of BatchGNN, arXiv
 * 2306.13814). A hop is then one round of requests and answers for all batches, see {@link
 * ArcExchange}. What is drawn depends on neither the number of workers nor that of batches.
 */
public final class NeighbourSampler implements Sampler {
  /** The most batches that are sampled at once. */
  public static final int MOST_BATCHES = ArcRequest.MOST_BATCHES;

  private final OwnArcs own;
  private final @Nullable PagedArcs paged;
  private final SampleSettings settings;
  private final BlockNeeds needs;
  private final boolean weighted;
  private final List<HopDraw> draws;
  private final ThreadTeam team;
  private final ArcExchange exchange;
  private final Memory kept;
  private final List<ArcRequest> requests;
  private final ArcAnswer answer;
  private final ArrivedArcs arrived;
  private final HopSampler hops;
  private final Task sortTask = this::sort;

  // What is being sampled.
  private List<SampledBatch> batches = List.of();
  private SeedOrder seeds = SeedOrder.of(new int[0], 1, 0);
  private int hop;
  private final long[] keys = new long[MOST_BATCHES];

  private NeighbourSampler(
      OwnArcs own,
      SampleSettings settings,
      BlockNeeds asked,
      ThreadTeam team,
      Memory memory,
      ArcExchange exchange,
      @Nullable CachedVertices cache) {
    this.own = own;
    this.settings = settings;
    needs = cache == null ? asked : asked.ofUnlikeArcs();
    this.team = team;
    this.exchange = exchange;
    NeighbourArcs arcs = NeighbourArcs.of(own, needs, memory);
    paged = own.paged(arcs.others());
    weighted = needs.weighs(own.in());
    draws =
        cache == null
            ? HopDraw.of(settings, arcs, weighted)
            : HopDraw.preferring(cache, settings, arcs);
    // Whether the arcs drawn into a vertex all weigh the same.
    boolean alike = arcs.others().weights() == null && cache == null;
    kept = memory.child();
    requests = IntStream.range(0, own.workers()).mapToObj(_ -> new ArcRequest()).toList();
    answer = new ArcAnswer(arcs, weighted, alike, team, kept);
    arrived = new ArrivedArcs(own.workers(), arcs, weighted, alike, kept);
    var hopArcs = new HopArcs(own, arcs, needs, arrived, team);
    hops = new HopSampler(hopArcs, arcs.vertices(), needs, team, kept);
    MemorySegment scales = arcs.scales();
    if (scales != null && !own.everything()) {
      exchange.sum(scales);
    }
  }

  /**
   * A sampler of neighbours; all workers make theirs alike and in the same order.
   *
   * @param team runs its loops, and nobody else's while it samples
   * @param memory where it keeps its tables; whoever made the memory closes it
   * @param exchange with the samplers of other workers, {@link ArcExchange#NONE} if all arcs are
   *     here
   */
  public static NeighbourSampler of(
      OwnArcs arcs,
      SampleSettings settings,
      BlockNeeds needs,
      ThreadTeam team,
      Memory memory,
      ArcExchange exchange) {
    if (settings.kind().layerwise()) {
      throw new IllegalArgumentException(
          "the " + settings.kind() + " sampler draws layers, and not for each vertex");
    }
    if (settings.kind().induced()) {
      throw new IllegalArgumentException(
          "the "
              + settings.kind()
              + " sampler needs all arcs at one worker: use neighbour or labor");
    }
    return new NeighbourSampler(arcs, settings, needs, team, memory, exchange, null);
  }

  /**
   * A sampler that takes the sources of the last hop from a cache, and prefers those of other hops
   * that are there: global neighbour sampling (Dong et al., KDD 2021), see {@link CachedDraw} and
   * {@link PreferringDraw}.
   *
   * @param cache whose set of vertices is that of the epoch whenever something is sampled
   */
  public static NeighbourSampler preferring(
      CachedVertices cache,
      OwnArcs arcs,
      SampleSettings settings,
      BlockNeeds needs,
      ThreadTeam team,
      Memory memory,
      ArcExchange exchange) {
    if (settings.kind() != SamplerKind.NEIGHBOUR || settings.replace() || settings.byWeight()) {
      throw new IllegalArgumentException(
          "global neighbour sampling draws neighbours that are cached, without replacement and all"
              + " alike");
    }
    return new NeighbourSampler(arcs, settings, needs, team, memory, exchange, cache);
  }

  @Override
  public SampledBatch newBatch(Memory memory) {
    return SampledBatch.ofHops(memory, draws.size(), weighted, needs);
  }

  @Override
  public void sample(SeedOrder order, int first, List<SampledBatch> into) {
    if (into.size() > MOST_BATCHES) {
      throw new IllegalArgumentException(
          "at most " + MOST_BATCHES + " batches are sampled at once, not " + into.size());
    }
    batches = into;
    seeds = order;
    for (int k = 0; k < into.size(); k++) {
      into.get(k).begin(seeds, first + k);
    }
    if (own.everything()) {
      // Batch by batch, so that the table of rows is filled once for all hops of a batch.
      for (int k = 0; k < into.size(); k++) {
        for (hop = 0; hop < draws.size(); hop++) {
          make(k);
        }
      }
    } else {
      // Hop by hop, so that one round of messages serves all batches.
      for (hop = 0; hop < draws.size(); hop++) {
        listRequests();
        exchange.exchange(this);
        for (int k = 0; k < into.size(); k++) {
          make(k);
        }
      }
    }
  }

  private void make(int batch) {
    hops.make(hop, draws.get(hop), key(batch), batch, batches.get(batch));
  }

  private long key(int batch) {
    return HopKey.of(settings, seeds, batches.get(batch), hop);
  }

  /** Lists what is asked of whom in this hop. */
  private void listRequests() {
    requests.forEach(ArcRequest::clear);
    for (int k = 0; k < batches.size(); k++) {
      keys[k] = key(k);
      RowIds ids = batches.get(k).ids();
      int count = batches.get(k).rows(hop);
      arrived.expect(k, count);
      for (int row = 0; row < count; row++) {
        int vertex = ids.at(row);
        int owner = own.owners().partOf(vertex);
        if (owner != own.worker()) {
          requests.get(owner).add(vertex, k, row);
        }
      }
    }
    team.run(requests.size(), sortTask);
    if (paged != null) {
      announce(paged);
    }
  }

  private void sort(int worker) {
    requests.get(worker).sort();
  }

  /** Starts reading the arcs that will be drawn from, first where they are, then the arcs. */
  private void announce(PagedArcs files) {
    forOwnVertices(files::expectPlace);
    forOwnVertices(files::expect);
  }

  private void forOwnVertices(IntConsumer action) {
    for (SampledBatch of : batches) {
      for (int row = 0, count = of.rows(hop); row < count; row++) {
        int vertex = of.ids().at(row);
        if (own.has(vertex)) {
          action.accept(vertex);
        }
      }
    }
  }

  /** Bytes that {@link #writeRequest} takes, at most. */
  public long mostRequestBytes(int worker) {
    return requests.get(worker).mostBytes(batches.size());
  }

  /**
   * Writes what is asked of a worker in this hop; returns how many bytes that is.
   *
   * @param from where in {@code into} the request begins
   */
  public long writeRequest(int worker, MemorySegment into, long from) {
    return requests.get(worker).write(batches.size(), into, from) - from;
  }

  /**
   * Reads what another worker asks in this hop; returns the bytes of the answer.
   *
   * @param from where the request begins
   * @param bytes of the request
   * @param to where the answer will begin in its memory
   */
  public long answerBytes(MemorySegment request, long from, long bytes, long to) {
    ArcRequest asked = answer.request();
    asked.read(batches.size(), request, from, from + bytes);
    if (paged != null) {
      asked.forVertices(paged::expectPlace);
      asked.forVertices(paged::expect);
    }
    return answer.count(draws.get(hop), keys, to);
  }

  /**
   * Draws what {@link #answerBytes} has read, and writes it.
   *
   * @param into memory outside the heap
   * @param from where the answer begins
   */
  public void writeAnswer(MemorySegment into, long from) {
    answer.write(into, from);
  }

  /** Takes the answer of a worker, whose bytes must stay where they are until the next round. */
  public void take(int worker, MemorySegment bytes, long from) {
    arrived.take(worker, requests.get(worker), bytes, from);
  }

  @Override
  public long tableBytes() {
    return hops.tableBytes();
  }

  @Override
  public long bytes() {
    return kept.bytes();
  }
}
