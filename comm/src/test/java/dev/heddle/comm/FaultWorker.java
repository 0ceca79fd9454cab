package dev.heddle.comm;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** A worker in a process of its own that sums for ever, for {@link ProcessTest} to disturb. */
final class FaultWorker {
  private FaultWorker() {}

  public static void main(String[] args) {
    int rank = Integer.parseInt(args[0]);
    JoinSettings settings =
        Fleet.joining(rank, Integer.parseInt(args[1]), args[2])
            .withGroup(Fleet.SETTINGS.withSilence(Duration.ofMillis(Long.parseLong(args[3]))));
    int steps = Integer.parseInt(args[4]);
    try (Memory memory = new Memory();
        Group group = Group.join(settings)) {
      MemorySegment values = memory.allocateFloats(100_000);
      for (int step = 0; step < steps; step++) {
        group.at("step " + step);
        group.sum(Kind.GRADIENT, values);
        if (step % 10 == 0) {
          System.out.println("step " + step);
        }
      }
      System.out.println("done");
    } catch (GroupException e) {
      System.out.println("FAILED " + e.rank() + " " + e.where() + " " + e.what());
      System.exit(1);
    }
  }
}
