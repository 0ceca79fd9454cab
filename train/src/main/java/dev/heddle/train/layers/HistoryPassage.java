package dev.heddle.train.layers;

import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Combine;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowScatter;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Step;
import dev.heddle.train.settings.LayerSplit.Compensation;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way of one value's rows between one chunk and the others.
 *
 * <p>Forward: {@code x[c]} is put among the rows of this epoch, and the halo is {@code x[d]} for
 * chunks d before c and {@code hist[d]} for those after. Backward, chunks in reverse order: {@code
 * ∂x[c] = A[c,c]ᵀ ∂z[c] + s Σ_{d after c} A[d,c]ᵀ ∂z[d]}, where s is 1, or 2 where gradients count
 * double. What a chunk gives to chunks that have gone back already is never read: so history counts
 * as constant.
 */
final class HistoryPassage implements Passage {
  private static final float DOUBLE = 2;

  private final HistoryHalo halo;
  private final ValueRows value;
  private final int number;
  private final int chunk;
  private final GraphPart part;
  private final @Nullable Mirrors others;
  private final Matrix own;
  private final Combine copy = new Combine();
  private final RowGather gather = new RowGather();
  private final RowScatter scatter = new RowScatter();
  private @Nullable Matrix rows;
  private @Nullable Matrix gradient;
  private @Nullable Matrix haloGradient;

  /**
   * A passage.
   *
   * @param number of the value; draws are keyed by it
   */
  HistoryPassage(HistoryHalo halo, ValueRows value, int number, int chunk) {
    this.halo = halo;
    this.value = value;
    this.number = number;
    others = halo.rows().mirrors();
    this.chunk = chunk;
    part = halo.rows().part(chunk);
    own = value.live().slice(halo.rows().first(chunk), halo.rows().first(chunk + 1));
  }

  @Override
  public void start(ThreadTeam team, Matrix sources, Step step) {
    rows = sources;
    copy.scale(team, part.vertices(), 1, sources, own, false);
    if (others != null) {
      others.start(team, chunk, number, value.live(), step);
    }
  }

  @Override
  public void finish(ThreadTeam team) {
    Matrix sources = Objects.requireNonNull(rows);
    if (others != null) {
      others.finish(team, number);
    }
    int chunks = halo.rows().chunks();
    // Neighbouring parts whose rows lie in the same matrix are one stretch.
    int begin = part.vertices();
    boolean fresh = true;
    for (int p = 0; p < part.parts(); p++) {
      int from = part.firstHaloRow(p);
      if (part.firstHaloRow(p + 1) > from) {
        boolean next = halo.progress().isFresh(p % chunks);
        if (next != fresh) {
          gather(team, fresh, begin, from, sources);
          begin = from;
          fresh = next;
        }
      }
    }
    gather(team, fresh, begin, part.sources(), sources);
  }

  private void gather(ThreadTeam team, boolean fresh, int begin, int end, Matrix sources) {
    if (end > begin) {
      Matrix from = fresh ? value.live() : value.history();
      gather.run(team, from, halo.rows().places(chunk), begin, end, sources);
    }
  }

  @Override
  public void startBack(ThreadTeam team, Matrix sources, Step step) {
    gradient = sources;
    if (halo.compensation() == Compensation.DOUBLE) {
      scatterDouble(team, sources);
    } else {
      scatter(team, 1, part.vertices(), part.sources(), sources);
    }
    CarriedGradients carried = value.carried();
    if (carried != null) {
      carried.keep(team, chunk, haloOf(sources));
      carried.addTo(team, chunk, halo.progress(), value.gradients());
    }
    if (others != null) {
      others.startBack(team, chunk, number, value.gradients(), step);
    }
  }

  /** What goes to other ways' chunks that went forward together with this one is never missing. */
  private void scatterDouble(ThreadTeam team, Matrix sources) {
    int chunks = halo.rows().chunks();
    int begin = part.vertices();
    float factor = DOUBLE;
    for (int p = 0; p < part.parts(); p++) {
      int from = part.firstHaloRow(p);
      float next = p % chunks == chunk ? 1 : DOUBLE;
      if (part.firstHaloRow(p + 1) > from && next != factor) {
        scatter(team, factor, begin, from, sources);
        begin = from;
        factor = next;
      }
    }
    scatter(team, factor, begin, part.sources(), sources);
  }

  private void scatter(ThreadTeam team, float factor, int begin, int end, Matrix sources) {
    if (end > begin) {
      RowIds places = halo.rows().places(chunk);
      scatter.run(team, sources, places, begin, end, factor, value.gradients());
    }
  }

  /** Sources are one matrix in all epochs. */
  private Matrix haloOf(Matrix sources) {
    if (haloGradient == null) {
      haloGradient = sources.slice(part.vertices(), part.sources());
    }
    return haloGradient;
  }

  @Override
  public void finishBack(ThreadTeam team) {
    if (others != null) {
      others.finishBack(team, chunk);
    }
    // Gradients lie where rows of this forward did.
    copy.scale(team, part.vertices(), 1, own, Objects.requireNonNull(gradient), true);
  }
}
