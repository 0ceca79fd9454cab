package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Anonymous mappings on huge pages, by {@code mmap} and {@code madvise} of Linux; elsewhere the
 * arena's own memory.
 *
 * <p>The kernel hands out zeroed pages at first touch, so that memory which is planned and never
 * used costs nothing, and the threads that fill a matrix also fault it in.
 */
final class HugePages {
  private static final long HUGE_PAGE = 2L << 20;
  private static final int PROT_READ_WRITE = 0x1 | 0x2;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;

  private static final @Nullable LinuxCalls LINUX = linuxCalls();

  private record LinuxCalls(MethodHandle mmap, MethodHandle munmap) {}

  private HugePages() {}

  static MemorySegment allocate(Arena arena, long size) {
    if (LINUX == null || size < HUGE_PAGE) {
      return arena.allocate(size, Memory.ALIGNMENT);
    }
    long mapped = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE + HUGE_PAGE;
    try {
      MemorySegment base =
          (MemorySegment)
              LINUX.mmap.invokeExact(
                  MemorySegment.NULL, mapped, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0L);
      if (base.address() == -1L) {
        throw new OutOfMemoryError("cannot map " + size + " bytes of memory");
      }
      long aligned = (base.address() + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
      // Advice only: where huge pages are switched off, small ones serve.
      PageAdvice.HUGE.give(aligned, size);
      return MemorySegment.ofAddress(aligned).reinterpret(size, arena, _ -> unmap(base, mapped));
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("mmap failed", e);
    }
  }

  private static void unmap(MemorySegment base, long mapped) {
    if (LINUX == null) {
      return;
    }
    try {
      int _ = (int) LINUX.munmap.invokeExact(base, mapped);
    } catch (Throwable e) {
      throw new IllegalStateException("munmap failed", e);
    }
  }

  private static @Nullable LinuxCalls linuxCalls() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return null;
    }
    Linker linker = Linker.nativeLinker();
    var lookup = linker.defaultLookup();
    return new LinuxCalls(
        linker.downcallHandle(
            lookup.findOrThrow("mmap"),
            FunctionDescriptor.of(
                ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG)),
        linker.downcallHandle(
            lookup.findOrThrow("munmap"), FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG)));
  }
}
