package dev.heddle.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Mapped files as plain segments. The JDK has a class of its own for mapped segments, and a kernel
 * that has met both classes is compiled for neither: all later work took twice the time.
 */
final class MappedFiles {
  private static final ConcurrentSkipListMap<Long, MemorySegment> MAPPED =
      new ConcurrentSkipListMap<>();

  private MappedFiles() {}

  /**
   * A plain segment over mapped bytes, for as long as the arena lives in which they were mapped.
   */
  static MemorySegment plain(Arena arena, MemorySegment mapped) {
    if (mapped.byteSize() == 0) {
      return mapped;
    }
    MAPPED.put(mapped.address(), mapped);
    MemorySegment plain =
        MemorySegment.ofAddress(mapped.address())
            .reinterpret(mapped.byteSize(), arena, s -> MAPPED.remove(s.address()));
    return mapped.isReadOnly() ? plain.asReadOnly() : plain;
  }

  /** Gives the memory of a file's bytes back until they are read again; others are left alone. */
  static void unload(MemorySegment segment) {
    Map.Entry<Long, MemorySegment> file = MAPPED.floorEntry(segment.address());
    if (file != null) {
      long offset = segment.address() - file.getKey();
      if (offset < file.getValue().byteSize()) {
        file.getValue().asSlice(offset, segment.byteSize()).unload();
      }
    }
  }
}
