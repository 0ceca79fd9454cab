package dev.heddle.comm;

import dev.heddle.kernel.Memory;
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
   * Runs a body once for every rank and returns when all have ended and their groups are closed. A
   * worker that is alone runs in the thread of the caller.
   *
   * @throws GroupException with the first cause, when one of several threw; what the body of one
   *     worker throws comes as it is, but for checked exceptions, which come as the cause of one
   */
  public static void run(int size, GroupSettings settings, Body body) {
    run(size, settings, new Memory(), body);
  }

  /**
   * Runs a body once for every rank, as {@link #run(int, GroupSettings, Body)} does.
   *
   * @param budget what the groups need counts in it
   */
  public static void run(int size, GroupSettings settings, Memory budget, Body body) {
    List<Group> groups = Group.threads(size, settings, budget);
    if (size == 1) {
      runAlone(groups.getFirst(), body);
      return;
    }
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

  private static void runAlone(Group group, Body body) {
    try (group) {
      body.run(group);
    } catch (RuntimeException | Error e) {
      group.fail(e);
      throw e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      group.fail(e);
    }
    GroupException failure = group.failure();
    if (failure != null) {
      throw failure.again();
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
