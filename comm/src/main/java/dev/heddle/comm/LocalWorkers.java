package dev.heddle.comm;

import java.util.ArrayList;
import java.util.List;

/** Runs the workers of a group as threads of this JVM, and ends them together. */
public final class LocalWorkers {
  private LocalWorkers() {}

  /** What a worker does. */
  @FunctionalInterface
  public interface Body {
    void run(Group group) throws Exception;
  }

  /**
   * Runs a body once for every rank and returns when all have ended and their groups are closed.
   *
   * @throws GroupException with the first cause, when one of them threw
   */
  public static void run(int size, GroupSettings settings, Body body) {
    List<Group> groups = Group.threads(size, settings);
    List<Thread> threads = new ArrayList<>();
    List<GroupException> failures = new ArrayList<>();
    for (Group group : groups) {
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("heddle-rank-" + group.rank())
              .start(() -> work(group, body, failures)));
    }
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      groups.getFirst().fail(e);
      threads.forEach(Thread::interrupt);
      Thread.currentThread().interrupt();
    }
    synchronized (failures) {
      if (!failures.isEmpty()) {
        throw failures.getFirst();
      }
    }
  }

  private static void work(Group group, Body body, List<GroupException> failures) {
    try (group) {
      try {
        body.run(group);
      } catch (Throwable e) {
        group.fail(e);
      }
      GroupException first = group.failure();
      if (first != null) {
        synchronized (failures) {
          failures.add(first);
        }
      }
    }
  }
}
