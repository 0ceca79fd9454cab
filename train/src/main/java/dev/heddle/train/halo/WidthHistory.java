package dev.heddle.train.halo;

import dev.heddle.comm.Group;
import dev.heddle.comm.RowExchange;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** At how many bits the rows of one worker went, as its exchanges count them. */
final class WidthHistory {
  private final List<WidthReport> own = new ArrayList<>();

  /** Counts what went in an epoch, which is what goes until widths change. */
  void add(int epoch, List<HaloPassage> passages) {
    for (HaloPassage passage : passages) {
      RowExchange exchange = passage.rounded();
      if (exchange != null) {
        add(epoch, passage.number(), false, exchange);
        // What needs no gradient has none to send back.
        if (passage.wentBack()) {
          add(epoch, passage.number(), true, exchange);
        }
      }
    }
  }

  private void add(int epoch, int value, boolean back, RowExchange sent) {
    own.add(
        new WidthReport(
            epoch, value, back, sent.count(2, back), sent.count(4, back), sent.count(8, back)));
  }

  /** Row counts summed over all workers; all of them call it. */
  List<WidthReport> sum(Group group) {
    long[] rows =
        own.stream().flatMapToLong(w -> LongStream.of(w.bits2(), w.bits4(), w.bits8())).toArray();
    group.sum(rows);
    List<WidthReport> sums = new ArrayList<>();
    for (WidthReport w : own) {
      int at = 3 * sums.size();
      sums.add(
          new WidthReport(w.epoch(), w.value(), w.back(), rows[at], rows[at + 1], rows[at + 2]));
    }
    return List.copyOf(sums);
  }
}
