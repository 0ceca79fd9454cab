package dev.heddle.nn.program;

import dev.heddle.kernel.Combine;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.kernel.ZeroRows;
import java.util.List;

/**
 * A worker's own rows with those of its halo behind them: {@code own × cols} to {@code sources ×
 * cols}. Backward: gradients of halo rows go to their owners, who add them to their own.
 *
 * <p>Where rows travel while others are computed (AdaQP, Wan et al., 2023), this only sends them on
 * their way. A reader that works in stages begins with what needs no halo and then lets it {@link
 * #arrive}; backward it makes the halo's gradients first and lets them {@link #depart}. Whoever
 * reads all at once, or a second reader, makes everyone wait here.
 */
final class FetchHalo implements Op {
  private final Value x;
  private final Rows own;
  private final Hop hop;
  private final Halo halo;
  private final Passage passage;
  private final Value out;
  private int readers;
  private boolean allAtOnce;

  /**
   * A fetch.
   *
   * @param own rows of {@code x} that are taken, the first ones
   */
  FetchHalo(Value x, Rows own, Hop hop, Halo halo, Passage passage) {
    this.x = x;
    this.own = own;
    this.hop = hop;
    this.halo = halo;
    this.passage = passage;
    out = Value.of(hop.sources(), x.cols());
  }

  /** Is told of everyone who will read the output, while the program is recorded. */
  void readBy(boolean inStages) {
    readers++;
    allAtOnce |= !inStages;
  }

  private boolean waitsHere() {
    return !halo.overlaps() || allAtOnce || readers > 1;
  }

  /** Rows of the reader, the first, that need no halo. */
  int central() {
    return halo.central();
  }

  /** This worker's own rows; in the reader's sources, the halo follows them. */
  int own() {
    return own.capacity();
  }

  /** Own rows and halo. */
  int sources() {
    return hop.sources().capacity();
  }

  /** From here on the reader needs the halo's rows. */
  void arrive(ThreadTeam team) {
    if (!waitsHere()) {
      passage.finish(team);
    }
  }

  /** The gradients of the halo's rows are there, those of own rows not yet. */
  void depart(ThreadTeam team, Step step) {
    if (!waitsHere()) {
      passage.startBack(team, out.grad(), step);
    }
  }

  @Override
  public List<Value> inputs() {
    return List.of(x);
  }

  @Override
  public Value output() {
    return out;
  }

  @Override
  public boolean endsPhase() {
    return true;
  }

  @Override
  public Pass prepare(ThreadTeam team, Memory memory) {
    Combine copy = new Combine();
    ZeroRows rest = new ZeroRows();
    boolean waits = waitsHere();
    return new Pass() {
      @Override
      public void forward(Step step) {
        copy.scale(team, own.count(), 1, x.data(), out.data(), false);
        passage.start(team, out.data(), step);
      }

      @Override
      public void arrive() {
        if (waits) {
          passage.finish(team);
        }
      }

      @Override
      public void backward(Step step) {
        if (waits) {
          passage.startBack(team, out.grad(), step);
        }
        passage.finishBack(team);
        if (x.needsGrad()) {
          boolean add = x.addsGrad(FetchHalo.this);
          copy.scale(team, own.count(), 1, out.grad(), x.grad(), add);
          if (!add) {
            rest.run(team, x.grad(), own.count(), x.rows().count());
          }
        }
      }
    };
  }
}
