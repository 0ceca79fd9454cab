package dev.heddle.kernel;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A fixed team of threads that runs loops, the calling thread among them.
 *
 * <p>Tasks are taken one by one from a counter, so that uneven ones balance. How a loop is cut into
 * tasks must not depend on the number of threads: then neither does any result. Starting a loop
 * allocates nothing. A team serves one caller at a time; loops do not nest.
 */
public final class ThreadTeam implements AutoCloseable {
  /** How often an idle thread looks for the next loop before it sleeps: some 20 µs. */
  private static final int SPINS = 400;

  private static final int NONE = 0;

  /** More threads than processors only wait for each other. */
  public static final int MOST = 1024;

  private final Thread[] helpers;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicInteger active = new AtomicInteger();
  private final AtomicInteger sleepers = new AtomicInteger();

  // Written by the caller while no helper is active, read by helpers that saw the loop open.
  private int tasks;
  private @Nullable Task body;
  private int loops;
  private volatile int open;
  private volatile @Nullable Throwable failure;
  private volatile boolean closed;

  private ThreadTeam(int threads) {
    helpers = new Thread[threads - 1];
    for (int i = 0; i < helpers.length; i++) {
      helpers[i] = Thread.ofPlatform().daemon().name("heddle-team-" + (i + 1)).start(this::help);
    }
  }

  /** A team of {@code threads}, the caller included. */
  public static ThreadTeam of(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, not " + threads);
    }
    if (threads > MOST) {
      throw new IllegalArgumentException("threads must be at most " + MOST + ", not " + threads);
    }
    return new ThreadTeam(threads);
  }

  public int threads() {
    return helpers.length + 1;
  }

  /** Runs {@code work} for every task from 0 to {@code count} − 1 and returns when all are done. */
  public void run(int count, Task work) {
    if (count <= 1 || helpers.length == 0) {
      for (int i = 0; i < count; i++) {
        work.run(i);
      }
      return;
    }
    if (closed) {
      throw new IllegalStateException("this team is closed");
    }
    tasks = count;
    body = work;
    next.set(0);
    loops = loops == Integer.MAX_VALUE ? 1 : loops + 1;
    open = loops;
    if (sleepers.get() > 0) {
      for (Thread helper : helpers) {
        LockSupport.unpark(helper);
      }
    }
    take(work, count);
    open = NONE;
    // Only helpers that joined are waited for: one that sleeps costs a small loop nothing.
    while (active.get() > 0) {
      Thread.onSpinWait();
    }
    Throwable thrown = failure;
    if (thrown != null) {
      failure = null;
      switch (thrown) {
        case Error e -> throw e;
        case RuntimeException e -> throw e;
        default -> throw new IllegalStateException(thrown);
      }
    }
  }

  private void take(Task work, int count) {
    try {
      for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
        work.run(i);
      }
    } catch (Throwable e) {
      next.set(count);
      if (failure == null) {
        failure = e;
      }
    }
  }

  private void help() {
    int done = NONE;
    while (!closed) {
      int current = awaitLoop(done);
      active.incrementAndGet();
      // The caller cannot start another loop while this thread is counted as active.
      if (open == current && body != null) {
        take(body, tasks);
      }
      active.decrementAndGet();
      done = current;
    }
  }

  private int awaitLoop(int done) {
    for (int spins = 0; ; spins++) {
      int current = open;
      if ((current != NONE && current != done) || closed) {
        return current;
      }
      if (spins < SPINS) {
        Thread.onSpinWait();
        continue;
      }
      sleepers.incrementAndGet();
      // Looked at again after announcing the sleep, so that no wake-up is lost.
      current = open;
      if ((current == NONE || current == done) && !closed) {
        LockSupport.park(this);
      }
      sleepers.decrementAndGet();
      spins = 0;
    }
  }

  /** Ends the helper threads and waits for them. */
  @Override
  public void close() {
    closed = true;
    for (Thread helper : helpers) {
      LockSupport.unpark(helper);
    }
    boolean interrupted = false;
    for (Thread helper : helpers) {
      while (helper.isAlive()) {
        try {
          helper.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
