package dev.heddle.train.halo;

import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.pipeline.Stage;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The way of one value's rows between workers, with sums made before for those who asked for them:
 * rounded while training where the run's codec rounds, and as they are in evaluations.
 */
final class HaloPassage implements Passage {
  private final HaloRows halo;
  private final Travelling value;
  private final int number;
  private final boolean rounds;
  private final @Nullable SumsForOthers sums;
  private @Nullable RowExchange rounded;
  private @Nullable RowExchange underWay;
  private @Nullable Matrix gradients;
  private boolean wentBack;
  private Stage stage = Stage.EXCHANGE;
  private long waitedBefore;

  /**
   * A passage.
   *
   * @param number different for all values that travel; draws are keyed by it
   */
  HaloPassage(HaloRows halo, Travelling value, int number, boolean rounds) {
    this.halo = halo;
    this.value = value;
    this.number = number;
    this.rounds = rounds;
    sums = halo.sums(value);
  }

  @Override
  public void start(ThreadTeam team, Matrix rows, Step step) {
    RowExchange exchange = exchange(step);
    begin();
    if (sums != null) {
      sums.make(team, rows);
    }
    exchange.start(team, rows, rows, kind(step));
    end();
  }

  @Override
  public void finish(ThreadTeam team) {
    begin();
    underWay().finish(team);
    end();
  }

  @Override
  public void startBack(ThreadTeam team, Matrix gradient, Step step) {
    gradients = gradient;
    wentBack = true;
    RowExchange exchange = exchange(step);
    begin();
    exchange.startBack(team, gradient, gradient, kind(step));
    end();
  }

  @Override
  public void finishBack(ThreadTeam team) {
    begin();
    underWay().finishBack(team);
    // Nobody reads sums for others here: their gradients were zero before.
    if (sums != null && gradients != null) {
      sums.giveBack(team, gradients);
    }
    end();
  }

  private void begin() {
    halo.lane().begin(stage);
    waitedBefore = underWay().exposedNanos();
  }

  /** Waiting is timed by the exchange, which knows when each message came. */
  private void end() {
    halo.lane().waited(underWay().exposedNanos() - waitedBefore);
    halo.lane().end();
  }

  /** Evaluations are counted apart: what a codec saves in training must not drown in them. */
  private static Kind kind(Step step) {
    return step.training() ? Kind.HALO : Kind.EVALUATION;
  }

  /** Made at first use, when all widths are known; all workers come here in the same order. */
  private RowExchange exchange(Step step) {
    RowExchange exchange;
    if (rounds && step.training()) {
      if (rounded == null) {
        rounded = halo.rounding(value.cols());
      }
      exchange = rounded;
      exchange.drawsBy(step.key(Draws.Domain.QUANTISE, number));
    } else {
      exchange = halo.exact();
    }
    underWay = exchange;
    stage = step.training() ? Stage.EXCHANGE : Stage.EVALUATE;
    return exchange;
  }

  private RowExchange underWay() {
    if (underWay == null) {
      throw new IllegalStateException("no rows are under way");
    }
    return underWay;
  }

  /** The exchange of rounded rows, which has been used. */
  RowExchange exchange() {
    return Objects.requireNonNull(rounded);
  }

  /** Whether gradients of the rows have travelled too. */
  boolean wentBack() {
    return wentBack;
  }

  /** What becomes of the variance of a row's gradient once it is back. */
  double weightBack(int row) {
    return sums == null ? 1 : sums.weightBack(row);
  }

  int number() {
    return number;
  }

  /** What is known of the rows. */
  Travelling value() {
    return value;
  }

  /** The exchange of rounded rows, once it has been used. */
  @Nullable RowExchange rounded() {
    return rounded;
  }
}
