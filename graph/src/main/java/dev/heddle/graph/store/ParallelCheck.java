package dev.heddle.graph.store;

import dev.heddle.graph.GraphFormatException;
import dev.heddle.kernel.ThreadTeam;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Looks through arrays a range at a time, on several threads; the first fault in order is told. */
final class ParallelCheck {
  private final Path folder;
  private final ThreadTeam team;

  ParallelCheck(Path folder, ThreadTeam team) {
    this.folder = folder;
    this.team = team;
  }

  /** What is wrong with the elements of a range. */
  interface Range {
    @Nullable Fault of(long from, long to);
  }

  /** A fault and the array it is in. */
  record Fault(String array, String what) {}

  /** A number for the elements of a range, to be added to that of the others. */
  interface Sum {
    long of(long from, long to);
  }

  /** Throws the first fault of {@code count} elements, of which a thread takes so many at once. */
  void run(long count, long each, Range range) {
    @Nullable Fault[] faults = new Fault[tasks(count, each)];
    team.run(
        faults.length,
        task -> faults[task] = range.of(task * each, Math.min(count, (task + 1) * each)));
    for (Fault fault : faults) {
      if (fault != null) {
        throw fault(fault.array(), fault.what());
      }
    }
  }

  /** Adds up numbers, wrapping around. */
  long sum(long count, long each, Sum part) {
    long[] sums = new long[tasks(count, each)];
    team.run(
        sums.length, task -> sums[task] = part.of(task * each, Math.min(count, (task + 1) * each)));
    long all = 0;
    for (long sum : sums) {
      all += sum;
    }
    return all;
  }

  private static int tasks(long count, long each) {
    return Math.toIntExact(Math.ceilDiv(count, each));
  }

  GraphFormatException fault(String array, String what) {
    return new GraphFormatException(folder.resolve(array), what);
  }
}
