package dev.heddle.comm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs the workers of a group as threads of this JVM, and ends them together. */
public final class LocalWorkers {
  private static final Duration LOOK = Duration.ofMillis(100);

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
    for (Group group : groups) {
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("heddle-rank-" + group.rank())
              .start(() -> work(group, body)));
    }
    try {
      join(threads, groups.getFirst(), settings.patience());
    } catch (InterruptedException e) {
      groups.getFirst().fail(e);
      Thread.currentThread().interrupt();
    }
    threads.forEach(Thread::interrupt); // Those that a failure did not end.
    GroupException first = groups.getFirst().failure();
    if (first != null) {
      throw first.again();
    }
  }

  /** Waits for all to end; after a failure, no longer than a patience. */
  private static void join(List<Thread> threads, Group any, Duration patience)
      throws InterruptedException {
    long failed = 0;
    for (Thread thread : threads) {
      while (!thread.join(LOOK)) {
        failed += any.failure() == null ? 0 : LOOK.toNanos();
        if (failed > patience.toNanos()) {
          return;
        }
      }
    }
  }

  private static void work(Group group, Body body) {
    try (group) {
      try {
        body.run(group);
      } catch (Throwable e) {
        group.fail(e); // Before the group is closed, which would look like leaving.
      }
    }
  }
}
