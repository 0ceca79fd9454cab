package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.UniformColumns;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
 */
public final class NeighbourSampler implements Sampler {
  private final NeighbourArcs arcs;
  private final BlockNeeds needs;
  private final boolean weighted;
  private final ArcCoefficients coefficients;
  private final List<ArcDraw> draws;
  private final ThreadTeam team;
  private final RowNumbers numbers;
  private final ArcTransposer transposer;
  private final RowOffsets rowOffsets;
  private final Task drawTask = this::draw;
  private final Task coefficientTask = this::coefficients;
  private final Task rootTask = this::roots;

  /**
   * For each hop, how ids alone are drawn for many vertices at once; null where weights are too.
   */
  private final @Nullable UniformColumns[] columns;

  // The hop being sampled.
  private ArcDraw draw;
  private @Nullable UniformColumns idsOnly;
  private long key;
  private int rows;
  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private MemorySegment offsets = MemorySegment.NULL;
  private MemorySegment rootDegrees = MemorySegment.NULL;
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);

  private NeighbourSampler(Csr in, SampleSettings settings, BlockNeeds needs, Place place) {
    this.needs = needs;
    team = place.team();
    arcs = NeighbourArcs.of(in, needs, place.memory());
    weighted = needs.weighs(in);
    coefficients = new ArcCoefficients(arcs, needs);
    draws = ArcDraw.of(settings, arcs.others());
    draw = new AllArcs(in);
    columns = new UniformColumns[draws.size()];
    for (int h = 0; h < columns.length; h++) {
      boolean plain = !weighted && !arcs.selfLoops();
      columns[h] = plain && draws.get(h) instanceof UniformDraw uniform ? uniform.columns() : null;
    }
    numbers = new RowNumbers(team, place.memory(), in.rows());
    transposer = new ArcTransposer(team, place.memory());
    rowOffsets = new RowOffsets(team, this::count);
  }

  /** Where a sampler works: threads of its own, and memory that lives as long as it does. */
  public record Place(ThreadTeam team, Memory memory) {}

  /** A sampler of arcs by destination. */
  public static NeighbourSampler of(
      Csr in, SampleSettings settings, BlockNeeds needs, Place place) {
    return new NeighbourSampler(in, settings, needs, place);
  }

  @Override
  public SampledBatch newBatch(Memory memory) {
    return new SampledBatch(memory, SampledHop.list(memory, draws.size(), weighted, needs));
  }

  @Override
  public void sample(SeedOrder seeds, int batch, SampledBatch into) {
    into.begin(seeds, batch);
    rows = into.seeds();
    numbers.begin(into.ids().values(), rows);
    for (int h = 0; h < draws.size(); h++) {
      draw = draws.get(h);
      idsOnly = columns[h];
      key = Draws.key(Draws.Domain.SAMPLE, seeds.seed(), seeds.epoch(), batch, h);
      SampledHop hop = into.hop(h);
      long count = drawArcs(into, hop);
      if (h == draws.size() - 1 && needs.firstGiven()) {
        team.run(blocks(), coefficientTask);
        hop.finish(rows, arcs.vertices());
        into.rows(h + 1, rows);
      } else {
        int destinations = rows;
        nameSources(into, count);
        if (hop.hasRoots()) {
          rootDegrees = hop.roots(rows);
          team.run(blocks(), rootTask);
        }
        hop.finish(destinations, rows, transposer);
        into.rows(h + 1, rows);
      }
    }
  }

  private int blocks() {
    return RowOffsets.blocks(rows);
  }

  private int end(int block) {
    return RowOffsets.end(block, rows);
  }

  private long drawArcs(SampledBatch into, SampledHop hop) {
    vertices = into.ids();
    offsets = hop.offsets(rows);
    long count = rowOffsets.write(rows, offsets);
    drawn = hop.arcs(count);
    team.run(blocks(), drawTask);
    return count;
  }

  private void nameSources(SampledBatch into, long count) {
    long most = Math.min(rows + count, arcs.vertices());
    numbers.expect(into.room(most, rows), count);
    rows = numbers.number(drawn.ids(), count);
    vertices = into.ids();
  }

  private int count(int row) {
    return draw.count(vertices.at(row), key) + (arcs.selfLoops() ? 1 : 0);
  }

  private void draw(int block) {
    int end = end(block);
    if (idsOnly != null) {
      // Where a mean has weights they are one over the count, which is written later.
      idsOnly.draw(key, vertices, block * RowOffsets.ROWS, end, offsets, drawn.ids());
      return;
    }
    loadArcs(block);
    for (int row = block * RowOffsets.ROWS; row < end; row++) {
      int vertex = vertices.at(row);
      long at = offsets.getAtIndex(JAVA_LONG, row);
      if (arcs.selfLoops()) {
        drawn.put(at++, vertex, arcs.loopWeight(vertex));
      }
      draw.draw(vertex, key, drawn, at);
    }
  }

  /**
   * Looks at the arcs of all rows of a block before any are drawn: what is not in the cache comes
   * side by side, where draws would wait for it row by row. The check is there so that no compiler
   * leaves the looking out.
   */
  private void loadArcs(int block) {
    Csr in = arcs.others();
    int all = 0;
    for (int row = block * RowOffsets.ROWS, end = end(block); row < end; row++) {
      int vertex = vertices.at(row);
      long first = in.offset(vertex);
      long last = in.offset(vertex + 1);
      if (first < last) {
        all |= in.id(first) | in.id(last - 1);
      }
    }
    if (all < 0) {
      throw new IllegalStateException("an arc comes from a vertex with a negative number");
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

  @Override
  public void close() {
    numbers.close();
    transposer.close();
  }
}
