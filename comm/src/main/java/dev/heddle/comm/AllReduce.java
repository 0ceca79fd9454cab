package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sum of one vector of every worker, at every worker.
 *
 * <p>Each element is added up by one worker in the order of ranks, so that all end with the same
 * bits, whatever came first. Short vectors go from everyone to everyone, one latency; of longer
 * ones each worker sums a slice and sends it around, {@code 2 (k − 1) / k} of the vector from each,
 * in chunks, so that the first sums travel while later parts are still coming in.
 *
 * <p>Shares are under way from {@link #start} on; sums are made by {@link #await}, which also makes
 * those of the sums that were started before, so that workers may await them in any order. Reused
 * for all vectors of its length, it allocates nothing.
 */
final class AllReduce implements Pending {
  /** Vectors up to this size are not worth two latencies. */
  private static final long DIRECT_BYTES = 16 << 10;

  private static final long CHUNK_BYTES = 1 << 20;

  private final SumType type;
  private final long count;
  private final Kind kind;
  private final int rank;
  private final int size;
  private final List<Part> parts = new ArrayList<>();
  private final List<AllReduce> underWay;

  private MemorySegment vector = MemorySegment.NULL;
  private long resultTag;
  private boolean busy;
  private boolean reduced;

  AllReduce(Group group, Memory memory, SumType type, long count, Kind kind) {
    underWay = group.sumsUnderWay();
    this.type = type;
    this.count = count;
    this.kind = kind;
    rank = group.rank();
    size = group.size();
    if (count == 0) {
      return;
    }
    for (Range range : ranges(type, count, size)) {
      parts.add(new Part(group, memory, range));
    }
  }

  /** How a vector is cut among those who sum it. */
  private static List<Range> ranges(SumType type, long count, int workers) {
    long end = count * type.bytes();
    if (end <= DIRECT_BYTES) {
      return List.of(new Range(0, end, null));
    }
    List<Range> ranges = new ArrayList<>();
    long slice = Math.ceilDiv(Math.ceilDiv(count, workers), 16) * 16 * type.bytes();
    for (long chunk = 0; chunk < slice; chunk += CHUNK_BYTES) {
      for (int owner = 0; owner < workers; owner++) {
        long from = Math.min(end, owner * slice + chunk);
        long to = Math.min(end, owner * slice + Math.min(slice, chunk + CHUNK_BYTES));
        if (from < to) {
          ranges.add(new Range(from, to, owner));
        }
      }
    }
    return ranges;
  }

  /** What a worker sends for a sum, and takes for it; see {@link SumCost}. */
  static SumCost cost(SumType type, long count, int workers, int rank) {
    if (workers == 1 || count == 0) {
      return SumCost.NONE;
    }
    Sent.Amount sent = Sent.Amount.NONE;
    long memory = 0;
    for (Range range : ranges(type, count, workers)) {
      boolean toAll = range.owner == null || range.owner == rank;
      sent = sent.plus(new Sent.Amount(range.bytes(), 1).times(toAll ? workers - 1 : 1));
      memory += toAll ? workers * range.bytes() : 0;
    }
    return new SumCost(sent, memory);
  }

  /**
   * A stretch of the vector.
   *
   * @param from where it begins, in bytes
   * @param to where it ends
   * @param owner who sums it; null where everyone does
   */
  private record Range(long from, long to, @Nullable Integer owner) {
    long bytes() {
      return to - from;
    }
  }

  boolean fits(SumType wanted, long elements, Kind what) {
    return !busy && wanted == type && elements == count && what == kind;
  }

  /** Sets out to replace a vector by the sum; shares and sums travel by tags of their own. */
  void start(long shareTag, long sumTag, MemorySegment values) {
    busy = true;
    reduced = false;
    underWay.add(this);
    vector = values;
    resultTag = sumTag;
    for (Part part : parts) {
      part.start(shareTag);
    }
  }

  @Override
  public void await() {
    if (!busy) {
      return;
    }
    for (int i = 0; !reduced; i++) {
      underWay.get(i).reduce();
    }
    for (Part part : parts) {
      part.finish();
    }
    underWay.remove(this);
    vector = MemorySegment.NULL;
    busy = false;
  }

  private void reduce() {
    if (!reduced) {
      for (Part part : parts) {
        part.reduce();
      }
      reduced = true;
    }
  }

  /** A stretch of the vector: summed by its owner, or by everyone if it has none. */
  private final class Part {
    private final Range range;
    private final boolean owned;
    private final boolean sums;
    private final MemorySegment scratch;
    private final List<Transfer> sharesIn = new ArrayList<>();
    private final List<Transfer> sharesOut = new ArrayList<>();
    private final List<Transfer> results = new ArrayList<>();

    Part(Group group, Memory memory, Range range) {
      this.range = range;
      Integer owner = range.owner;
      owned = owner != null;
      sums = owner == null || owner == rank;
      scratch = sums ? memory.allocate(size * range.bytes()) : MemorySegment.NULL;
      for (int peer = 0; peer < size; peer++) {
        if (peer == rank) {
          continue;
        }
        if (sums) {
          sharesIn.add(group.from(peer, kind));
        }
        if (owner == null || owner == peer) {
          sharesOut.add(group.to(peer, kind));
        }
        if (owner != null && owner == rank) {
          results.add(group.to(peer, kind));
        } else if (owner != null && owner == peer) {
          results.add(group.from(peer, kind));
        }
      }
    }

    void start(long tag) {
      for (int i = 0; i < sharesIn.size(); i++) {
        int from = i < rank ? i : i + 1;
        sharesIn.get(i).start(tag, scratch, from * range.bytes(), range.bytes());
      }
      for (Transfer share : sharesOut) {
        share.start(tag, vector, range.from, range.bytes());
      }
      if (!sums) {
        // The owner needs this worker's share before it can send: nothing is overwritten early.
        startResults();
      }
    }

    private void startResults() {
      for (Transfer result : results) {
        result.start(resultTag, vector, range.from, range.bytes());
      }
    }

    /** Adds up what came, in the order of ranks, if this worker is to; and sends it on. */
    void reduce() {
      if (!sums) {
        return;
      }
      awaitAll(sharesIn);
      awaitAll(sharesOut);
      long bytes = range.bytes();
      MemorySegment.copy(vector, range.from, scratch, rank * bytes, bytes);
      type.sum(scratch, size, bytes);
      MemorySegment.copy(scratch, 0, vector, range.from, bytes);
      if (owned) {
        startResults();
      }
    }

    void finish() {
      awaitAll(sharesOut);
      awaitAll(results);
    }

    private void awaitAll(List<Transfer> transfers) {
      for (int i = 0; i < transfers.size(); i++) {
        transfers.get(i).await();
      }
    }
  }
}
