package dev.heddle.train.halo;

import dev.heddle.comm.Group;
import dev.heddle.comm.RowExchange;
import dev.heddle.kernel.Memory;
import dev.heddle.train.settings.RowCodec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Chooses the widths at which rows travel, for every value and both directions, every period. */
sealed interface RowWidths permits AdaptiveWidths, RandomWidths {
  /** What a codec asks for; none where all rows have one width. */
  static @Nullable RowWidths of(
      Group group, RowExchange.Routes routes, RowCodec codec, Memory memory) {
    return switch (codec.kind()) {
      case ADAPTIVE -> new AdaptiveWidths(group, routes, codec.adaptation(), memory);
      case RANDOM -> new RandomWidths(group, routes, codec.adaptation());
      case FP32, BITS2, BITS4, BITS8 -> null;
    };
  }

  /** Makes a choice before an epoch, if it is time, and says whether; all workers call it. */
  boolean before(int epoch, List<HaloPassage> passages);
}
