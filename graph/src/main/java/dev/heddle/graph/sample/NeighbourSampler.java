package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

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
  private final List<ArcDraw> draws;
  private final Workers workers;
  private final RowNumbers numbers;
  private final ArcTransposer transposer;
  private final RowOffsets rowOffsets;
  private final Task drawTask = this::draw;
  private final Task coefficientTask = this::coefficients;
  private final Task rootTask = this::roots;

  // The hop being sampled.
  private ArcDraw draw;
  private long key;
  private int rows;
  private RowIds vertices = new RowIds(MemorySegment.NULL);
  private MemorySegment offsets = MemorySegment.NULL;
  private MemorySegment rootDegrees = MemorySegment.NULL;
  private DrawnArcs drawn = new DrawnArcs(MemorySegment.NULL, null);

  private NeighbourSampler(Csr in, SampleSettings settings, BlockNeeds needs, Place place) {
    this.needs = needs;
    workers = place.workers();
    arcs = NeighbourArcs.of(in, needs, place.memory());
    if (settings.byWeight() && in.weights() == null) {
      throw new IllegalArgumentException("arcs without weights cannot be drawn by weight");
    }
    weighted = needs.sums() || (needs.aggregation() != null && in.weights() != null);
    draws = settings.fanouts().stream().map(f -> draw(settings, f)).toList();
    draw = new AllArcs(in);
    numbers = new RowNumbers(workers, place.memory(), in.rows());
    transposer = new ArcTransposer(workers, place.memory());
    rowOffsets = new RowOffsets(workers, this::count);
  }

  /** Where a sampler works: threads of its own, and memory that lives as long as it does. */
  public record Place(Workers workers, Memory memory) {}

  /** A sampler of arcs by destination. */
  public static NeighbourSampler of(
      Csr in, SampleSettings settings, BlockNeeds needs, Place place) {
    return new NeighbourSampler(in, settings, needs, place);
  }

  private ArcDraw draw(SampleSettings settings, int fanout) {
    Csr others = arcs.others();
    if (fanout == SampleSettings.ALL) {
      return new AllArcs(others);
    }
    if (settings.byWeight()) {
      return new WeightedDraw(others, fanout, settings.replace());
    }
    return settings.kind() == SamplerKind.LABOR
        ? new LaborDraw(others, fanout)
        : new UniformDraw(others, fanout, settings.replace());
  }

  @Override
  public SampledBatch newBatch(Memory memory) {
    List<SampledHop> hops = new ArrayList<>();
    for (int h = 0; h < draws.size(); h++) {
      boolean named = h < draws.size() - 1 || !needs.firstGiven();
      hops.add(
          new SampledHop(
              memory,
              new SampledHop.Layout(
                  weighted || !named, named, needs.aggregation() == null, needs.symmetric())));
    }
    return new SampledBatch(memory, hops);
  }

  @Override
  public void sample(SeedOrder seeds, int batch, SampledBatch into) {
    into.begin(seeds, batch);
    rows = into.seeds();
    numbers.begin(into.ids().values(), rows);
    for (int h = 0; h < draws.size(); h++) {
      draw = draws.get(h);
      key = Draws.key(Draws.Domain.SAMPLE, seeds.seed(), seeds.epoch(), batch, h);
      SampledHop hop = into.hop(h);
      long count = drawArcs(into, hop);
      if (h == draws.size() - 1 && needs.firstGiven()) {
        workers.run(blocks(), coefficientTask);
        hop.finish(rows, arcs.vertices());
        into.rows(h + 1, rows);
      } else {
        int destinations = rows;
        nameSources(into, count);
        if (hop.hasRoots()) {
          rootDegrees = hop.roots(rows);
          workers.run(blocks(), rootTask);
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
    workers.run(blocks(), drawTask);
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
    for (int row = block * RowOffsets.ROWS, end = end(block); row < end; row++) {
      int vertex = vertices.at(row);
      long at = offsets.getAtIndex(JAVA_LONG, row);
      if (arcs.selfLoops()) {
        drawn.put(at++, vertex, arcs.loopWeight(vertex));
      }
      draw.draw(vertex, key, drawn, at);
    }
  }

  /** Turns what arcs stand for into all that their sources are multiplied by. */
  private void coefficients(int block) {
    MemorySegment weights = Objects.requireNonNull(drawn.weights());
    for (int row = block * RowOffsets.ROWS, end = end(block); row < end; row++) {
      long first = offsets.getAtIndex(JAVA_LONG, row);
      long last = offsets.getAtIndex(JAVA_LONG, row + 1L);
      if (needs.symmetric()) {
        float own = arcs.rootDegree(vertices.at(row));
        for (long arc = first; arc < last; arc++) {
          float root = arcs.rootDegree(drawn.ids().getAtIndex(JAVA_INT, arc));
          float weight = weights.getAtIndex(JAVA_FLOAT, arc);
          weights.setAtIndex(JAVA_FLOAT, arc, own * root * weight);
        }
      } else if (needs.aggregation() == Normalisation.MEAN) {
        divideBySum(weights, first, last);
      }
    }
  }

  private static void divideBySum(MemorySegment weights, long first, long last) {
    double sum = 0;
    for (long arc = first; arc < last; arc++) {
      sum += weights.getAtIndex(JAVA_FLOAT, arc);
    }
    float inverse = sum == 0 ? 0 : (float) (1 / sum);
    for (long arc = first; arc < last; arc++) {
      weights.setAtIndex(JAVA_FLOAT, arc, inverse * weights.getAtIndex(JAVA_FLOAT, arc));
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
