package dev.heddle.train.halo;

import dev.heddle.comm.Codec;
import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.comm.Sent;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.settings.CodecKind;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of others that a hop of a batch needs, where workers compute batches together: which
 * rows go where is told anew for every batch.
 */
public final class ShuffledRows implements Halo, AutoCloseable {
  /** More values than travel before one hop. */
  private static final int VALUES = 64;

  private final int hop;
  private final CodecKind codec;
  private final RowExchange exchange;

  /** The values that travel before the hop, of the program that was recorded last. */
  private final List<Travelling> values = new ArrayList<>();

  /**
   * An exchange of all workers of a group, who make theirs in the same order.
   *
   * @param hop counted from the seeds
   */
  public ShuffledRows(Group group, Memory memory, CodecKind codec, int hop) {
    this.hop = hop;
    this.codec = codec;
    Codec rows = codec.rounds() ? Codec.Quantised.of(codec.bits(), null) : Codec.FP32;
    exchange = RowExchange.changing(group, memory, rows);
  }

  /** A program is about to be recorded: all of them send the same values in the same order. */
  public void beginRecording() {
    values.clear();
  }

  /** From now on these rows travel. */
  public void list(RowExchange.Lists lists) {
    exchange.list(lists);
  }

  /** What this worker sends in a step, there and back, where rows go so. */
  public Sent.Amount sent(RowExchange.Lists lists) {
    Sent.Amount all = Sent.Amount.NONE;
    for (Travelling value : values) {
      all = all.plus(amount(value, lists.sentStarts()));
      if (value.learnt()) {
        all = all.plus(amount(value, lists.receivedStarts()));
      }
    }
    return all;
  }

  private Sent.Amount amount(Travelling value, int[] starts) {
    int messages = 0;
    for (int i = 1; i < starts.length; i++) {
      messages += starts[i] > starts[i - 1] ? 1 : 0;
    }
    return new Sent.Amount(codec.rowBytes(value.cols()) * starts[starts.length - 1], messages);
  }

  @Override
  public Passage passage(Travelling value) {
    int number = hop * VALUES + values.size();
    values.add(value);
    return new Passage() {
      @Override
      public void start(ThreadTeam team, Matrix rows, Step step) {
        exchange.drawsBy(step.key(Draws.Domain.QUANTISE, number));
        exchange.start(team, rows, rows, Kind.HALO);
      }

      @Override
      public void finish(ThreadTeam team) {
        exchange.finish(team);
      }

      @Override
      public void startBack(ThreadTeam team, Matrix gradient, Step step) {
        exchange.drawsBy(step.key(Draws.Domain.QUANTISE, number));
        exchange.startBack(team, gradient, gradient, Kind.HALO);
      }

      @Override
      public void finishBack(ThreadTeam team) {
        exchange.finishBack(team);
      }
    };
  }

  @Override
  public boolean ofSample() {
    return true;
  }

  @Override
  public int central() {
    throw new IllegalStateException("aggregations of a sample are not cut");
  }

  /** Rows travel before anything is aggregated. */
  @Override
  public boolean overlaps() {
    return false;
  }

  @Override
  public void close() {
    exchange.close();
  }
}
