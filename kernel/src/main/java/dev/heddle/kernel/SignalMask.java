package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Holds signals back from the calling thread while it runs native code that does not bear them;
 * they arrive afterwards. Those that a thread raises itself, by what it does, are not held.
 *
 * <p>Profilers (Java's flight recorder among them) interrupt threads by signals all the time.
 */
record SignalMask(MethodHandle setMask, MemorySegment held) {
  private static final int BLOCK = 0;
  private static final int SET = 2;

  /** Of {@code sigset_t} in Linux's C libraries; the kernel looks at the first eight. */
  private static final int BYTES = 128;

  /** SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, as bits of a set. */
  private static final long RAISED_BY_ITSELF =
      1L << 3 | 1L << 4 | 1L << 5 | 1L << 6 | 1L << 7 | 1L << 10;

  private static final ThreadLocal<MemorySegment> BEFORE =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(BYTES, Long.BYTES));

  static SignalMask load() {
    MemorySegment held = Arena.global().allocate(BYTES, Long.BYTES);
    held.set(JAVA_LONG, 0, ~RAISED_BY_ITSELF);
    Linker linker = Linker.nativeLinker();
    return new SignalMask(
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("pthread_sigmask"),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG),
            Linker.Option.critical(false)),
        held);
  }

  /** Signals wait from now on. */
  void hold() {
    set(BLOCK, held.address(), BEFORE.get().address());
  }

  /** Signals arrive again, those that have waited at once. */
  void release() {
    set(SET, BEFORE.get().address(), 0);
  }

  private void set(int how, long mask, long before) {
    int status;
    try {
      status = (int) setMask.invokeExact(how, mask, before);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("pthread_sigmask failed", e);
    }
    if (status != 0) {
      throw new IllegalStateException("pthread_sigmask refused a mask: status " + status);
    }
  }
}
