package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Task;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;

/**
 * LADIES (Zou et al., NeurIPS 2019): for each hop a distribution over the sources of the rows that
 * there are, by what each is worth to these. The rows are those of the whole batch, whichever
 * worker's its seeds are, so that all workers choose alike and as one worker would; who is one of
 * several looks at arcs of others' rows for that.
 *
 * <p>Candidates are a hop in which nothing is left out, made as every hop is; the arcs by source
 * say what each candidate is worth. Rows that a hop has reached stay rows of the next, as in the
 * original; they stand for nothing unless they are drawn.
 */
final class LadiesChoice implements LayerChoice {
  private static final int BLOCK = 1024;

  private final SampleSettings settings;
  private final ColumnNorms norms;
  private final boolean selfLoops;
  private final HopSampler hops;
  private final HopDraw all;
  private final SampledBatch candidates;
  private final LayerTable table;
  private final Distribution distribution;
  private final ThreadTeam team;
  private final Task worthTask = this::worth;
  private MemorySegment worth = MemorySegment.NULL;
  private int rows;
  private int size;

  /**
   * A choice among the sources of rows.
   *
   * @param hopArcs for hops that are made one at a time
   */
  LadiesChoice(
      SampleSettings settings,
      ColumnNorms norms,
      boolean selfLoops,
      HopArcs hopArcs,
      LayerTable table,
      ThreadTeam team,
      Memory memory) {
    this.settings = settings;
    this.norms = norms;
    this.selfLoops = selfLoops;
    this.table = table;
    this.team = team;
    Csr in = norms.arcs().others();
    var needs = new BlockNeeds(selfLoops, Normalisation.MEAN, false);
    hops = new HopSampler(hopArcs, in.rows(), needs, team, memory);
    all = new HopDraw(new AllArcs(in), null);
    candidates = SampledBatch.ofHops(memory, 1, needs.weighs(in), needs);
    distribution = new Distribution(row -> candidates.ids().at(row), memory);
  }

  @Override
  public void begin(SeedOrder everyone, int batch) {
    candidates.begin(everyone, batch);
  }

  @Override
  public boolean choose(int hop, long key) {
    rows = candidates.rows(0);
    hops.make(0, all, key, 0, candidates);
    size = candidates.rows(1);
    int wanted = settings.fanouts().get(hop);
    if (wanted == SampleSettings.ALL) {
      candidates.rows(0, size);
      return false;
    }
    worth = distribution.begin(size);
    team.run((size + BLOCK - 1) / BLOCK, worthTask);
    distribution.finish();
    if (wanted >= distribution.positive()) {
      candidates.rows(0, size);
      return false;
    }
    table.draw(distribution, wanted, settings.layer().debias(), key);
    MemorySegment vertices = candidates.room(size, size);
    int reached = rows;
    for (int row = rows; row < size; row++) {
      int vertex = candidates.ids().at(row);
      if (table.times(vertex) > 0) {
        vertices.setAtIndex(JAVA_INT, reached++, vertex);
      }
    }
    candidates.rows(0, reached);
    return true;
  }

  private void worth(int block) {
    Csr out = candidates.hop(0).block().out();
    for (int row = block * BLOCK, end = Math.min(size, row + BLOCK); row < end; row++) {
      double sum = 0;
      for (long arc = out.offset(row), last = out.offset(row + 1); arc < last; arc++) {
        int destination = out.id(arc);
        // A vertex's own loop is in every sample, and not drawn for.
        if (!selfLoops || destination != row) {
          double w = out.weight(arc);
          sum += w * w * norms.ofDestination(candidates.ids().at(destination));
        }
      }
      double value = norms.worth(candidates.ids().at(row), sum);
      worth.setAtIndex(JAVA_DOUBLE, row + 1L, value);
    }
  }

  @Override
  public long tableBytes() {
    return hops.tableBytes() + (long) norms.arcs().vertices() * Float.BYTES;
  }
}
