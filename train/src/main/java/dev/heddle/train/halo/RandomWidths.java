package dev.heddle.train.halo;

import dev.heddle.comm.Group;
import dev.heddle.comm.RowExchange;
import dev.heddle.kernel.Draws;
import dev.heddle.train.settings.Adaptation;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Widths drawn for every row, to compare {@link AdaptiveWidths} with: each of 2, 4 and 8 bits as
 * likely, or so many of each that the bytes are those of a uniform width. Draws are keyed by epoch,
 * value, direction and place: runs of any seed draw alike.
 */
final class RandomWidths implements RowWidths {
  private static final byte[] WIDTHS = {2, 4, 8};

  private final Group group;
  private final RowExchange.Routes routes;
  private final Adaptation settings;

  RandomWidths(Group group, RowExchange.Routes routes, Adaptation settings) {
    this.group = group;
    this.routes = routes;
    this.settings = settings;
  }

  @Override
  public boolean before(int epoch, List<HaloPassage> passages) {
    if (!settings.due(epoch)) {
      return false;
    }
    for (HaloPassage passage : passages) {
      RowExchange exchange = passage.rounded();
      if (exchange != null) {
        exchange.assign(
            new RowExchange.Widths(
                draw(epoch, passage.number(), false, routes.sent()),
                draw(epoch, passage.number(), true, routes.received())));
      }
    }
    return true;
  }

  private byte[][] draw(int epoch, int value, boolean back, int[][] lists) {
    int direction = 2 * value + (back ? 1 : 0);
    long key = Draws.key(Draws.Domain.QUANTISE, 0, epoch, group.rank(), direction);
    byte[][] widths = new byte[lists.length][];
    for (int peer = 0; peer < lists.length; peer++) {
      widths[peer] = draw(Draws.at(key, peer), lists[peer].length);
    }
    return widths;
  }

  private byte[] draw(long key, int rows) {
    byte[] widths = new byte[rows];
    if (settings.bits() == 0) {
      for (int i = 0; i < rows; i++) {
        widths[i] = WIDTHS[Draws.below(Draws.at(key, i), WIDTHS.length)];
      }
      return widths;
    }
    Arrays.fill(widths, (byte) settings.bits());
    if (settings.bits() == 4) {
      // Two rows of 2 bits make up for one of 8.
      int wide = rows / 4;
      int[] order =
          IntStream.range(0, rows)
              .boxed()
              .sorted(Comparator.comparingLong(i -> Draws.at(key, i)))
              .mapToInt(Integer::intValue)
              .toArray();
      for (int i = 0; i < 3 * wide; i++) {
        widths[order[i]] = (byte) (i < wide ? 8 : 2);
      }
    }
    return widths;
  }
}
