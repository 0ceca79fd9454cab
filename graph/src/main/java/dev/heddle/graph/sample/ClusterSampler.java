package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Batches of whole parts of the graph (Cluster-GCN, Chiang et al., KDD 2019): all vertices of some
 * parts, training vertices first, and all arcs between them, which every layer follows. Arcs from
 * other parts are left out, and degrees are those that remain. The order of seeds is one of parts.
 */
public final class ClusterSampler implements Sampler {
  private final NeighbourArcs arcs;
  private final BlockNeeds needs;
  private final boolean weighted;
  private final int hops;
  private final int[][] training;
  private final int[][] others;
  private final ThreadTeam team;
  private final Memory kept;
  private final RowNumbers numbers;
  private final ArcTransposer transposer;
  private final RowOffsets rowOffsets;
  private final Task writeTask = this::write;

  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private int rows;
  private MemorySegment offsets = MemorySegment.NULL;
  private DrawnArcs inside = new DrawnArcs(MemorySegment.NULL, null);

  /**
   * A sampler.
   *
   * @param hops how many hops a model takes
   */
  public ClusterSampler(
      Clusters clusters, int hops, BlockNeeds needs, ThreadTeam team, Memory memory) {
    Csr in = clusters.in();
    this.needs = needs;
    this.hops = hops;
    this.team = team;
    kept = memory.child();
    var loops = new BlockNeeds(needs.selfLoops(), null, false);
    arcs = NeighbourArcs.of(OwnArcs.whole(in), loops, memory);
    weighted = needs.aggregation() != null && in.weights() != null;
    int parts = clusters.partition().parts();
    training = new int[parts][];
    others = new int[parts][];
    boolean[] learnt = new boolean[in.rows()];
    for (int vertex : clusters.train()) {
      learnt[vertex] = true;
    }
    for (int part = 0; part < parts; part++) {
      int[] members = clusters.partition().members(part);
      training[part] = Arrays.stream(members).filter(v -> learnt[v]).toArray();
      others[part] = Arrays.stream(members).filter(v -> !learnt[v]).toArray();
    }
    numbers = new RowNumbers(team, kept, in.rows());
    transposer = new ArcTransposer(team, kept);
    rowOffsets = new RowOffsets(team, this::count);
  }

  /** Arcs by destination, whose vertices are whose, and which of them are learnt from. */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  public record Clusters(Csr in, Partition partition, int[] train) {}

  @Override
  public SampledBatch newBatch(Memory memory) {
    return SampledBatch.ofOneBlock(memory, hops, weighted, needs);
  }

  /** The order of {@code seeds} is one of parts. */
  @Override
  public void sample(SeedOrder seeds, int first, List<SampledBatch> into) {
    for (int k = 0; k < into.size(); k++) {
      sample(seeds, first + k, into.get(k));
    }
  }

  private void sample(SeedOrder parts, int batch, SampledBatch into) {
    int seeds = total(parts, batch, training);
    rows = seeds + total(parts, batch, others);
    into.begin(parts.epoch(), batch, seeds);
    into.sameRows(rows);
    MemorySegment list = into.room(rows, 0);
    list(parts, batch, others, list, list(parts, batch, training, list, 0));
    vertices = into.ids();
    if (hops == 0) {
      return;
    }
    numbers.begin(list, rows);
    SampledHop hop = into.hop(0);
    offsets = hop.offsets(rows);
    inside = hop.arcs(rowOffsets.write(rows, offsets));
    team.run(RowOffsets.blocks(rows), writeTask);
    hop.finish(rows, rows, transposer);
  }

  private static int total(SeedOrder parts, int batch, int[][] members) {
    int sum = 0;
    for (int i = 0; i < parts.count(batch); i++) {
      sum += members[parts.vertex(batch, i)].length;
    }
    return sum;
  }

  private static int list(
      SeedOrder parts, int batch, int[][] members, MemorySegment list, int from) {
    int at = from;
    for (int i = 0; i < parts.count(batch); i++) {
      int[] own = members[parts.vertex(batch, i)];
      MemorySegment.copy(own, 0, list, JAVA_INT, (long) at * Integer.BYTES, own.length);
      at += own.length;
    }
    return at;
  }

  private int count(int row) {
    Csr in = arcs.others();
    int vertex = vertices.at(row);
    int count = arcs.selfLoops() ? 1 : 0;
    for (long arc = in.offset(vertex), end = in.offset(vertex + 1); arc < end; arc++) {
      count += numbers.rowOf(in.id(arc)) >= 0 ? 1 : 0;
    }
    return count;
  }

  private void write(int block) {
    Csr in = arcs.others();
    for (int row = block * RowOffsets.ROWS, end = RowOffsets.end(block, rows); row < end; row++) {
      int vertex = vertices.at(row);
      long at = offsets.getAtIndex(JAVA_LONG, row);
      if (arcs.selfLoops()) {
        inside.put(at++, row, arcs.loopWeight(vertex));
      }
      for (long arc = in.offset(vertex), last = in.offset(vertex + 1); arc < last; arc++) {
        int source = numbers.rowOf(in.id(arc));
        if (source >= 0) {
          inside.put(at++, source, in.weight(arc));
        }
      }
    }
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
