package dev.heddle.train.pipeline;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What one thread did up to a moment: exact totals, and the spans that were kept. */
public final class ThreadTimes {
  private static final int SPAN_BYTES = 4 * Integer.BYTES + 3 * Long.BYTES;

  private final String thread;
  private final long[] totals;
  private final long overflowed;
  private final List<Span> spans;

  private ThreadTimes(String thread, long[] totals, long overflowed, List<Span> spans) {
    this.thread = thread;
    this.totals = totals;
    this.overflowed = overflowed;
    this.spans = List.copyOf(spans);
  }

  static ThreadTimes of(Lane lane, long origin) {
    synchronized (lane) {
      return new ThreadTimes(lane.thread(), lane.totals(), lane.overflowed(), lane.spans(origin));
    }
  }

  /** The thread's name. */
  public String thread() {
    return thread;
  }

  /** Nanoseconds of a stage that were of a kind, those of spans within spans only there. */
  public long nanos(Stage stage, Time time) {
    return totals[Lane.index(stage, time)];
  }

  /** Nanoseconds of a stage. */
  public long nanos(Stage stage) {
    long sum = 0;
    for (Time time : Time.values()) {
      sum += nanos(stage, time);
    }
    return sum;
  }

  /** Nanoseconds of a kind. */
  public long nanos(Time time) {
    long sum = 0;
    for (Stage stage : Stage.values()) {
      sum += nanos(stage, time);
    }
    return sum;
  }

  /** How many spans there was no room for; they are in the totals all the same. */
  public long overflowed() {
    return overflowed;
  }

  /** The spans that were kept, in the order in which they ended. */
  public List<Span> spans() {
    return spans;
  }

  int bytes() {
    return Integer.BYTES
        + thread.getBytes(UTF_8).length
        + Long.BYTES * (Lane.TOTALS + 1)
        + Integer.BYTES
        + SPAN_BYTES * spans.size();
  }

  void write(ByteBuffer out) {
    byte[] name = thread.getBytes(UTF_8);
    out.putInt(name.length).put(name);
    for (long total : totals) {
      out.putLong(total);
    }
    out.putLong(overflowed).putInt(spans.size());
    for (Span span : spans) {
      out.putInt(span.stage().number()).putInt(span.time().number());
      out.putInt(span.epoch()).putInt(span.item());
      out.putLong(span.begin()).putLong(span.end()).putLong(span.waited());
    }
  }

  static ThreadTimes read(ByteBuffer in) {
    byte[] name = new byte[in.getInt()];
    in.get(name);
    long[] totals = new long[Lane.TOTALS];
    for (int i = 0; i < totals.length; i++) {
      totals[i] = in.getLong();
    }
    long overflowed = in.getLong();
    int count = in.getInt();
    List<Span> spans = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      spans.add(
          new Span(
              Stage.numbered(in.getInt()),
              Time.numbered(in.getInt()),
              in.getInt(),
              in.getInt(),
              in.getLong(),
              in.getLong(),
              in.getLong()));
    }
    return new ThreadTimes(new String(name, UTF_8), totals, overflowed, spans);
  }
}
