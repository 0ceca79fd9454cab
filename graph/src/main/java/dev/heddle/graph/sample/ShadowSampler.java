package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A subgraph of its own for every seed (ShaDow, Zeng et al., NeurIPS 2021): the vertices that a few
 * hops of sampling from it reach, and all arcs between them. How deep a model is has nothing to do
 * with how far these reach. A vertex that several seeds reach has a row for each.
 *
 * <p>Rows are the seeds, then for each seed the others of its subgraph.
 */
public final class ShadowSampler implements Sampler {
  /** Seeds of a task. */
  private static final int SEEDS = 16;

  private final NeighbourArcs arcs;
  private final BlockNeeds needs;
  private final SampleSettings settings;
  private final boolean weighted;
  private final int hops;
  private final ThreadTeam team;
  private final Memory kept;
  private final ArcTransposer transposer;
  private final RowOffsets rowOffsets;
  private final long[] keys;
  private final Task reachTask = this::reachSeeds;
  private final Task listTask = this::listSeeds;
  private final Task writeTask = this::writeSeeds;

  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private int seeds;
  private int[] firstRow = new int[16];
  private int[] degrees = new int[16];
  private MemorySegment offsets = MemorySegment.NULL;
  private DrawnArcs inside = new DrawnArcs(MemorySegment.NULL, null);

  /**
   * A sampler.
   *
   * @param in arcs by destination
   * @param settings how far and wide a subgraph reaches
   * @param hops how many hops a model takes
   */
  public ShadowSampler(
      Csr in, SampleSettings settings, int hops, BlockNeeds needs, ThreadTeam team, Memory memory) {
    this.settings = settings;
    this.needs = needs;
    this.hops = hops;
    this.team = team;
    kept = memory.child();
    var loops = new BlockNeeds(needs.selfLoops(), null, false);
    arcs = NeighbourArcs.of(OwnArcs.whole(in), loops, memory);
    weighted = needs.aggregation() != null && in.weights() != null;
    transposer = new ArcTransposer(team, kept);
    rowOffsets = new RowOffsets(team, row -> degrees[row]);
    keys = new long[settings.hops()];
  }

  @Override
  public SampledBatch newBatch(Memory memory) {
    return SampledBatch.ofOneBlock(memory, hops, weighted, needs);
  }

  @Override
  public void sample(SeedOrder order, int first, List<SampledBatch> into) {
    for (int k = 0; k < into.size(); k++) {
      sample(order, first + k, into.get(k));
    }
  }

  private void sample(SeedOrder order, int number, SampledBatch into) {
    into.begin(order, number);
    seeds = into.seeds();
    vertices = into.ids();
    for (int h = 0; h < keys.length; h++) {
      keys[h] = Draws.key(Draws.Domain.SAMPLE, order.seed(), order.epoch(), number, h);
    }
    firstRow = firstRow.length > seeds ? firstRow : new int[seeds + seeds / 4 + 1];
    int tasks = (seeds + SEEDS - 1) / SEEDS;
    team.run(tasks, reachTask);
    int rows = seeds;
    for (int seed = 0; seed < seeds; seed++) {
      int others = firstRow[seed] - 1;
      firstRow[seed] = rows;
      rows += others;
    }
    firstRow[seeds] = rows;
    MemorySegment _ = into.room(rows, seeds);
    vertices = into.ids();
    into.sameRows(rows);
    degrees = degrees.length >= rows ? degrees : new int[rows + rows / 4];
    team.run(tasks, listTask);
    if (hops == 0) {
      return;
    }
    SampledHop hop = into.hop(0);
    offsets = hop.offsets(rows);
    inside = hop.arcs(rowOffsets.write(rows, offsets));
    team.run(tasks, writeTask);
    hop.finish(rows, rows, transposer);
  }

  private int end(int task) {
    return Math.min(seeds, (task + 1) * SEEDS);
  }

  private void reachSeeds(int task) {
    for (int seed = task * SEEDS; seed < end(task); seed++) {
      firstRow[seed] = reach(vertices.at(seed)).size();
    }
  }

  /** The vertices that sampling from a seed reaches, the seed first. */
  private VertexSet reach(int seed) {
    VertexSet set = VertexSet.ofThread();
    set.add(seed);
    int from = 0;
    for (int h = 0; h < keys.length; h++) {
      long own = Draws.at(keys[h], seed);
      for (int to = set.size(); from < to; from++) {
        draw(set, set.vertex(from), settings.fanouts().get(h), Draws.at(own, set.vertex(from)));
      }
    }
    return set;
  }

  private void draw(VertexSet set, int vertex, int fanout, long key) {
    Csr in = arcs.others();
    long first = in.offset(vertex);
    int degree = (int) in.degree(vertex);
    if (fanout == SampleSettings.ALL || degree <= fanout) {
      for (int i = 0; i < degree; i++) {
        set.add(in.id(first + i));
      }
      return;
    }
    Positions taken = Positions.ofThread(degree, fanout);
    for (int last = degree - fanout; last < degree; last++) {
      int position = Draws.below(Draws.at(key, last), last + 1);
      if (!taken.add(position)) {
        position = last;
        taken.add(last);
      }
      set.add(in.id(first + position));
    }
    taken.clear();
  }

  private void listSeeds(int task) {
    MemorySegment list = vertices.values();
    for (int seed = task * SEEDS; seed < end(task); seed++) {
      VertexSet set = reach(vertices.at(seed));
      for (int i = 1; i < set.size(); i++) {
        list.setAtIndex(JAVA_INT, row(seed, i), set.vertex(i));
      }
      for (int i = 0; i < set.size(); i++) {
        degrees[row(seed, i)] = arcsInto(set, set.vertex(i), seed, -1);
      }
    }
  }

  /** The row of a vertex of a seed's subgraph. */
  private int row(int seed, int index) {
    return index == 0 ? seed : firstRow[seed] + index - 1;
  }

  private void writeSeeds(int task) {
    for (int seed = task * SEEDS; seed < end(task); seed++) {
      VertexSet set = VertexSet.ofThread();
      set.add(vertices.at(seed));
      for (int row = firstRow[seed]; row < firstRow[seed + 1]; row++) {
        set.add(vertices.at(row));
      }
      for (int i = 0; i < set.size(); i++) {
        int row = row(seed, i);
        long at = offsets.getAtIndex(JAVA_LONG, row);
        if (arcs.selfLoops()) {
          inside.put(at++, row, arcs.loopWeight(set.vertex(i)));
        }
        int _ = arcsInto(set, set.vertex(i), seed, at);
      }
    }
  }

  /**
   * Counts the arcs into a vertex from its subgraph, its loop too; writes them if there is a place.
   */
  private int arcsInto(VertexSet set, int vertex, int seed, long at) {
    Csr in = arcs.others();
    int count = arcs.selfLoops() ? 1 : 0;
    long to = at;
    for (long arc = in.offset(vertex), end = in.offset(vertex + 1); arc < end; arc++) {
      int index = set.indexOf(in.id(arc));
      if (index >= 0) {
        count++;
        if (at >= 0) {
          inside.put(to++, row(seed, index), in.weight(arc));
        }
      }
    }
    return count;
  }

  @Override
  public long tableBytes() {
    return 0;
  }

  @Override
  public long bytes() {
    return kept.bytes();
  }
}
