package dev.heddle.train.plan;

import dev.heddle.comm.Codec;
import dev.heddle.comm.RowExchange;
import dev.heddle.comm.Sent;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.RowCodec;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Predicate;

/**
 * Rows that travel between workers before a layer can aggregate, and back: a message to each worker
 * that asked for some, for every value in every step, or once where the value is always the same.
 * While training they are rounded as the codec says; all else stays as it is.
 *
 * @param values what travels
 * @param trains whether gradients go back; else there are only evaluations
 */
record HaloPlan(PartLayout layout, List<Travelling> values, RowCodec codec, boolean trains) {
  private static final int[] NONE = {};

  /** Rows in a step forward, at the codec's widths. */
  Sent.Amount there() {
    return sum(v -> !v.once(), layout.sent(), codec.kind());
  }

  /** Their gradients, in a step back. */
  Sent.Amount back() {
    return sum(v -> !v.once() && v.learnt(), layout.received(), codec.kind());
  }

  /** Rows of an evaluation. */
  Sent.Amount evaluation() {
    return sum(v -> !v.once(), layout.sent(), CodecKind.FP32);
  }

  /** Rows that travel once in a run. */
  Sent.Amount once() {
    return sum(Travelling::once, layout.sent(), CodecKind.FP32);
  }

  /** One number for each row, which owners of vertices tell at the start. */
  Sent.Amount scales() {
    return RowExchange.sent(layout.sent(), CodecKind.FP32.rowBytes(1));
  }

  private Sent.Amount sum(Predicate<Travelling> which, int[] rows, CodecKind kind) {
    return values.stream()
        .filter(which)
        .map(v -> RowExchange.sent(rows, kind.rowBytes(v.cols())))
        .reduce(Sent.Amount.NONE, Sent.Amount::plus);
  }

  /**
   * Bytes of memory for lists and buffers.
   *
   * @param evaluates whether all values travel as they are too, from time to time
   */
  long memory(boolean evaluates) {
    boolean rounds = trains && codec.kind().rounds();
    int[] there = cols(v -> !rounds || evaluates || v.once());
    int[] back = trains && !rounds ? cols(Travelling::learnt) : NONE;
    long bytes = RowExchange.bytes(Codec.FP32, layout.sent(), layout.received(), there, back);
    if (!rounds) {
      return bytes;
    }
    for (Travelling value : values) {
      if (!value.once()) {
        int[] cols = {value.cols()};
        int[] colsBack = value.learnt() ? cols : NONE;
        bytes +=
            RowExchange.bytes(
                codec(value.cols()), layout.sent(), layout.received(), cols, colsBack);
      }
    }
    return bytes + roomForChanges();
  }

  private int[] cols(Predicate<Travelling> which) {
    return values.stream().filter(which).mapToInt(Travelling::cols).toArray();
  }

  private Codec codec(int cols) {
    var rounding = Codec.Quantised.of(codec.kind().bits(), null);
    return codec.delta()
        ? new Codec.Changes(rounding, Matrix.over(MemorySegment.NULL, 0, cols))
        : rounding;
  }

  /** Exchanges of one width share it. */
  private long roomForChanges() {
    return codec.delta()
        ? values.stream()
            .filter(v -> !v.once())
            .mapToInt(Travelling::cols)
            .distinct()
            .mapToLong(cols -> Memory.padded(Matrix.bytes(Math.max(1, layout.mostRows()), cols)))
            .sum()
        : 0;
  }
}
