package dev.heddle.train.halo;

import dev.heddle.comm.Codec;
import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Step;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.settings.CodecKind;
import org.jspecify.annotations.Nullable;

/**
 * An exchange of rows that are rounded in training, where the run's codec rounds, and travel as
 * they are in evaluations, which are counted apart. Rows have one width all the time.
 */
public final class StepExchange implements AutoCloseable {
  private final RowExchange exact;
  private final @Nullable RowExchange rounded;
  private final Kind training;
  private final Lane lane;
  private RowExchange underWay;
  private Stage stage = Stage.EXCHANGE;
  private long waitedBefore;

  /**
   * What is exchanged.
   *
   * @param source what rows of the source matrix are called, by which roundings are drawn
   * @param halo what those of the halo matrix are called
   * @param training kind of the messages of training
   */
  public record Rows(RowIds source, RowIds halo, Kind training) {}

  /**
   * An exchange of a group, all of whose workers make theirs in the same order.
   *
   * @param lane of the thread that sends and waits
   */
  public StepExchange(
      Group group,
      Memory memory,
      RowExchange.Routes routes,
      CodecKind codec,
      Rows rows,
      Lane lane) {
    this.lane = lane;
    exact = RowExchange.over(group, memory, routes, Codec.FP32);
    rounded =
        codec.rounds()
            ? RowExchange.over(
                group, memory, routes, new Codec.Quantised(codec.bits(), rows.source, rows.halo))
            : null;
    training = rows.training;
    underWay = exact;
  }

  /**
   * See {@link RowExchange#start}.
   *
   * @param draws different for all values that travel
   */
  public void start(ThreadTeam team, Matrix source, Matrix halo, Step step, int draws) {
    RowExchange exchange = of(step, draws);
    begin();
    exchange.start(team, source, halo, kind(step));
    end();
  }

  /** See {@link RowExchange#finish}. */
  public void finish(ThreadTeam team) {
    begin();
    underWay.finish(team);
    end();
  }

  /** See {@link RowExchange#startBack}; draws as there. */
  public void startBack(
      ThreadTeam team, Matrix haloGradient, Matrix gradient, Step step, int draws) {
    RowExchange exchange = of(step, draws);
    begin();
    exchange.startBack(team, haloGradient, gradient, kind(step));
    end();
  }

  /** See {@link RowExchange#finishBack}. */
  public void finishBack(ThreadTeam team) {
    begin();
    underWay.finishBack(team);
    end();
  }

  private void begin() {
    lane.begin(stage);
    waitedBefore = underWay.exposedNanos();
  }

  /** Waiting is timed by the exchange, which knows when each message came. */
  private void end() {
    lane.waited(underWay.exposedNanos() - waitedBefore);
    lane.end();
  }

  /** See {@link RowExchange#addTimesTo}; evaluations count too. */
  public void addTimesTo(long[] figures) {
    exact.addTimesTo(figures);
    if (rounded != null) {
      rounded.addTimesTo(figures);
    }
  }

  private RowExchange of(Step step, int draws) {
    underWay = exact;
    stage = step.training() ? Stage.EXCHANGE : Stage.EVALUATE;
    if (rounded != null && step.training()) {
      underWay = rounded;
      rounded.drawsBy(step.key(Draws.Domain.QUANTISE, draws));
    }
    return underWay;
  }

  private Kind kind(Step step) {
    return step.training() ? training : Kind.EVALUATION;
  }

  @Override
  public void close() {
    exact.close();
    if (rounded != null) {
      rounded.close();
    }
  }
}
