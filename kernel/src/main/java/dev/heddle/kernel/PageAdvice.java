package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * What the system is told about pages of memory, by {@code madvise} of Linux; elsewhere nothing.
 */
enum PageAdvice {
  /** Use pages of 2 MB. */
  HUGE(14),

  /** As it is without advice: of a file, read some more than is touched. */
  NORMAL(0),

  /** Read no more of a file than is touched. */
  RANDOM(1),

  /** Begin to read what will be touched soon. */
  SOON(3),

  /**
   * Drop what is in memory; the bytes of a file are read again when touched, others are lost. For
   * whole pages alone: what else lies on the first and the last goes with them.
   */
  UNUSED(4);

  private static final int PAGE = 4096;
  private static final @Nullable MethodHandle MADVISE = madvise();

  private final int number;

  PageAdvice(int number) {
    this.number = number;
  }

  /** Gives the advice for the pages that some bytes lie on. It may be ignored. */
  void give(long address, long size) {
    if (MADVISE == null || size <= 0) {
      return;
    }
    long first = address & -PAGE;
    try {
      int _ =
          (int) MADVISE.invokeExact(MemorySegment.ofAddress(first), address + size - first, number);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("madvise failed", e);
    }
  }

  private static @Nullable MethodHandle madvise() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return null;
    }
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("madvise"),
        FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  }
}
