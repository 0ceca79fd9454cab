package dev.heddle.nn.program;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Where each slot lies in one region: largest first, each at the lowest offset that no slot in use
 * at the same time covers.
 */
final class SlotPlan {
  private static final long ALIGNMENT = 64;

  private record Placed(Slot slot, long offset) {
    /** Where the next slot may begin. */
    long end() {
      return align(offset + slot.bytes);
    }
  }

  private final List<Placed> placed;
  private final long bytes;

  private SlotPlan(List<Placed> placed, long bytes) {
    this.placed = placed;
    this.bytes = bytes;
  }

  static SlotPlan of(List<Slot> slots) {
    List<Slot> bySize = new ArrayList<>(slots);
    bySize.removeIf(s -> !s.used());
    bySize.sort(Comparator.comparingLong((Slot s) -> s.bytes).reversed());
    List<Placed> byOffset = new ArrayList<>();
    long end = 0;
    for (Slot slot : bySize) {
      long offset = 0;
      for (Placed other : byOffset) {
        if (other.slot.overlaps(slot)) {
          if (offset + slot.bytes <= other.offset) {
            break;
          }
          offset = Math.max(offset, other.end());
        }
      }
      Placed here = new Placed(slot, offset);
      int at = 0;
      while (at < byOffset.size() && byOffset.get(at).offset <= offset) {
        at++;
      }
      byOffset.add(at, here);
      end = Math.max(end, here.end());
    }
    return new SlotPlan(byOffset, end);
  }

  /** Bytes of the whole region, exactly what {@link #allocate} takes. */
  long bytes() {
    return bytes;
  }

  void allocate(Memory memory) {
    place(memory.allocate(bytes));
  }

  /** Lays the slots out in memory that is there. */
  void place(MemorySegment region) {
    for (Placed p : placed) {
      p.slot.place(region.asSlice(p.offset, p.end() - p.offset));
    }
  }

  private static long align(long bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
}
