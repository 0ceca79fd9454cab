package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Draws;
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
 * Samples several batches at once, as one of several workers of whom each has the in-arcs of its
 * own vertices (macrobatches of BatchGNN, arXiv 2306.13814). The samples are those that {@link
 * NeighbourSampler} makes of the whole graph, arc by arc.
 *
 * <p>A hop is one round of questions and answers between all workers, for all batches: {@link #ask}
 * lists what others must draw, {@link #writeRequest} puts it into bytes for one of them, {@link
 * #answerBytes} and {@link #writeAnswer} are the other side of that, {@link #take} is for the bytes
 * that come back, and {@link #finishHop} makes the blocks. All workers sample the same batches of
 * the same epoch at a time. Who moves the bytes is not known here.
 */
public final class MacroSampler implements AutoCloseable {
  /** The most batches that are sampled at once. */
  public static final int MOST_BATCHES = ArcRequest.MOST_BATCHES;

  private final OwnArcs own;
  private final NeighbourArcs arcs;
  private final @Nullable PagedArcs paged;
  private final BlockNeeds needs;
  private final boolean weighted;
  private final ArcCoefficients coefficients;
  private final List<ArcDraw> draws;
  private final ThreadTeam team;
  private final RowNumbers numbers;
  private final ArcTransposer transposer;
  private final RowOffsets rowOffsets;
  private final List<ArcRequest> requests;
  private final ArcAnswer answer;
  private final ArrivedArcs arrived;
  private final Task sortTask = this::sort;
  private final Task drawTask = this::draw;
  private final Task coefficientTask = this::coefficients;
  private final Task rootTask = this::roots;

  // The batches and the hop being sampled.
  private List<SampledBatch> batches = List.of();
  private long seed;
  private int hop;
  private final long[] keys = new long[MOST_BATCHES];

  // The batch whose hop is being made.
  private int batch;
  private int rows;
  private ArcDraw draw;
  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private MemorySegment offsets = MemorySegment.NULL;
  private MemorySegment rootDegrees = MemorySegment.NULL;
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);

  private MacroSampler(
      OwnArcs own, SampleSettings settings, BlockNeeds needs, NeighbourSampler.Place place) {
    this.own = own;
    this.needs = needs;
    team = place.team();
    Memory memory = place.memory();
    arcs = NeighbourArcs.of(own.in(), needs, memory);
    weighted = needs.weighs(own.in());
    coefficients = new ArcCoefficients(arcs, needs);
    draws = ArcDraw.of(settings, arcs.others());
    draw = new AllArcs(arcs.others());
    numbers = new RowNumbers(team, memory, own.in().rows());
    transposer = new ArcTransposer(team, memory);
    rowOffsets = new RowOffsets(team, this::count);
    requests = IntStream.range(0, own.workers()).mapToObj(_ -> new ArcRequest()).toList();
    answer = new ArcAnswer(arcs, team, memory);
    boolean alike = arcs.others().weights() == null;
    arrived = new ArrivedArcs(own.workers(), arcs.selfLoops(), alike, memory);
    forgetOthersDegrees();
    paged = own.paged(arcs.others());
  }

  /** A sampler of neighbours; all workers make theirs alike. */
  public static MacroSampler of(
      OwnArcs own, SampleSettings settings, BlockNeeds needs, NeighbourSampler.Place place) {
    if (settings.kind().induced()) {
      throw new IllegalArgumentException(
          "the "
              + settings.kind()
              + " sampler needs all arcs at one worker: use neighbour or labor");
    }
    return new MacroSampler(own, settings, needs, place);
  }

  /** So that sums over workers are the degrees of all vertices. */
  private void forgetOthersDegrees() {
    MemorySegment roots = arcs.rootDegrees();
    for (int v = 0; roots != null && v < arcs.vertices(); v++) {
      if (!own.has(v)) {
        roots.setAtIndex(JAVA_FLOAT, v, 0);
      }
    }
  }

  /**
   * A float for each vertex of the whole graph that must be summed over all workers before the
   * first sample: only owners know degrees. Null where nobody needs them or all are known.
   */
  public @Nullable MemorySegment incompleteDegrees() {
    MemorySegment roots = arcs.rootDegrees();
    return roots == null || own.everything()
        ? null
        : roots.asSlice(0, (long) Float.BYTES * arcs.vertices());
  }

  /** Memory for samples of this sampler. */
  public SampledBatch newBatch(Memory memory) {
    return new SampledBatch(memory, SampledHop.list(memory, draws.size(), weighted, needs));
  }

  /** How many rounds a sample takes. */
  public int hops() {
    return draws.size();
  }

  /** Whether other workers are asked at all. */
  public boolean asks() {
    return !own.everything();
  }

  /**
   * Begins with the seeds of consecutive batches, of which there may be fewer than at other times.
   */
  public void begin(SeedOrder seeds, int first, List<SampledBatch> into) {
    if (into.size() > MOST_BATCHES) {
      throw new IllegalArgumentException(
          "at most " + MOST_BATCHES + " batches are sampled at once, not " + into.size());
    }
    batches = List.copyOf(into);
    seed = seeds.seed();
    hop = 0;
    for (int k = 0; k < batches.size(); k++) {
      batches.get(k).begin(seeds, first + k);
    }
  }

  /** Lists what has to be asked of whom in the next hop. */
  public void ask() {
    for (int k = 0; k < batches.size(); k++) {
      SampledBatch of = batches.get(k);
      keys[k] = Draws.key(Draws.Domain.SAMPLE, seed, of.epoch(), of.number(), hop);
    }
    requests.forEach(ArcRequest::clear);
    for (int k = 0; asks() && k < batches.size(); k++) {
      RowIds ids = batches.get(k).ids();
      int count = batches.get(k).rows(hop);
      arrived.expect(k, count);
      for (int row = 0; row < count; row++) {
        int vertex = ids.at(row);
        if (!own.has(vertex)) {
          requests.get(own.owners().partOf(vertex)).add(vertex, k, row);
        }
      }
    }
    expectOwnArcs();
    team.run(requests.size(), sortTask);
  }

  /** Has what will be drawn from read side by side, if it lies in files. */
  private void expectOwnArcs() {
    if (paged != null) {
      // First where arcs are, which has to be known to ask for them.
      forOwnVertices(paged::expectPlace);
      forOwnVertices(paged::expect);
    }
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

  private void sort(int worker) {
    requests.get(worker).sort();
  }

  /** Bytes that {@link #writeRequest} takes, at most. */
  public long mostRequestBytes(int worker) {
    return requests.get(worker).mostBytes(batches.size());
  }

  /** Writes what is asked of a worker; returns how many bytes that is. */
  public long writeRequest(int worker, MemorySegment into, long from) {
    return requests.get(worker).write(batches.size(), into, from) - from;
  }

  /** Reads what another worker asks; returns the bytes of an answer that begins at {@code to}. */
  public long answerBytes(MemorySegment request, long from, long bytes, long to) {
    ArcRequest asked = answer.request();
    asked.read(batches.size(), request, from, from + bytes);
    if (paged != null) {
      asked.forVertices(paged::expectPlace);
      asked.forVertices(paged::expect);
    }
    return answer.count(draws.get(hop), keys, weighs(), to);
  }

  /** Draws what was asked last, and writes it. */
  public void writeAnswer(MemorySegment into, long from) {
    answer.write(into, from);
  }

  /** Takes the answer of a worker, which stays where it is until {@link #finishHop}. */
  public void take(int worker, MemorySegment bytes, long from) {
    arrived.take(worker, requests.get(worker), weighs(), bytes, from);
  }

  private boolean weighs() {
    return weighted || givesFirst();
  }

  private boolean givesFirst() {
    return hop == draws.size() - 1 && needs.firstGiven();
  }

  /** Draws what is drawn here, and makes the hop's blocks of all batches. */
  public void finishHop() {
    draw = draws.get(hop);
    for (batch = 0; batch < batches.size(); batch++) {
      finish(batches.get(batch));
    }
    hop++;
  }

  private void finish(SampledBatch into) {
    SampledHop made = into.hop(hop);
    rows = into.rows(hop);
    vertices = into.ids();
    offsets = made.offsets(rows);
    long count = rowOffsets.write(rows, offsets);
    drawn = made.arcs(count);
    team.run(blocks(), drawTask);
    if (givesFirst()) {
      team.run(blocks(), coefficientTask);
      made.finish(rows, arcs.vertices());
    } else {
      int destinations = rows;
      name(into, count);
      if (made.hasRoots()) {
        rootDegrees = made.roots(rows);
        team.run(blocks(), rootTask);
      }
      made.finish(destinations, rows, transposer);
    }
    into.rows(hop + 1, rows);
  }

  private void name(SampledBatch into, long count) {
    numbers.begin(into.ids().values(), rows);
    numbers.expect(into.room(Math.min(rows + count, arcs.vertices()), rows), count);
    rows = numbers.number(drawn.ids(), count);
    vertices = into.ids();
  }

  private int blocks() {
    return RowOffsets.blocks(rows);
  }

  private int end(int block) {
    return RowOffsets.end(block, rows);
  }

  private int count(int row) {
    int vertex = vertices.at(row);
    return own.has(vertex)
        ? draw.count(vertex, keys[batch]) + (arcs.selfLoops() ? 1 : 0)
        : arrived.count(batch, row);
  }

  private void draw(int block) {
    for (int row = block * RowOffsets.ROWS, end = end(block); row < end; row++) {
      int vertex = vertices.at(row);
      long at = offsets.getAtIndex(JAVA_LONG, row);
      if (!own.has(vertex)) {
        arrived.copy(own.owners().partOf(vertex), batch, row, drawn, at);
        continue;
      }
      if (arcs.selfLoops()) {
        drawn.put(at++, vertex, arcs.loopWeight(vertex));
      }
      draw.draw(vertex, keys[batch], drawn, at);
    }
  }

  private void coefficients(int block) {
    for (int row = block * RowOffsets.ROWS, end = end(block); row < end; row++) {
      long first = offsets.getAtIndex(JAVA_LONG, row);
      long last = offsets.getAtIndex(JAVA_LONG, row + 1L);
      coefficients.write(vertices.at(row), drawn, first, last);
    }
  }

  private void roots(int block) {
    for (int row = block * RowOffsets.ROWS, end = end(block); row < end; row++) {
      rootDegrees.setAtIndex(JAVA_FLOAT, row, arcs.rootDegree(vertices.at(row)));
    }
  }

  /** Those of the bytes that are a table of all vertices, however many batches there are. */
  public long tableBytes() {
    return numbers.bytes();
  }

  /** Bytes of memory that is kept for any batches, samples aside. */
  public long bytes() {
    return answer.bytes() + arrived.bytes() + numbers.bytes() + transposer.bytes();
  }

  @Override
  public void close() {
    numbers.close();
    transposer.close();
    answer.close();
    arrived.close();
  }
}
