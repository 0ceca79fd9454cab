package dev.heddle.train;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/** What all threads of this JVM allocate per epoch once nothing is new to them any more. */
public final class AllocatedBytes {
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private AllocatedBytes() {}

  /** All that any thread has allocated so far. */
  public static long soFar() {
    return THREADS.getTotalThreadAllocatedBytes();
  }

  /**
   * Bytes per epoch in the best run of {@code inRow} epochs; stops at the first run that keeps to
   * {@code most}, because until a kernel is compiled its vectors are objects, and after a minute.
   */
  public static long least(int inRow, long most, IntConsumer epoch) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    long least = Long.MAX_VALUE;
    int number = 1;
    do {
      long before = soFar();
      for (int i = 0; i < inRow; i++) {
        epoch.accept(number++);
      }
      least = Math.min(least, (soFar() - before) / inRow);
    } while (least > most && System.nanoTime() < deadline);
    return least;
  }
}
