package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the whole machine reads from the disk that a folder lies on, as Linux counts it. */
final class DiskReads {
  private static final Path COUNTS = Path.of("/proc/diskstats");

  /** Linux counts in these, whatever the disk's own are. */
  private static final int SECTOR = 512;

  private final long major;
  private final long minor;
  private final long before;

  private DiskReads(long device) throws IOException {
    // As the C library takes a device's number apart.
    major = (device >>> 8) & 0xfff;
    minor = (device & 0xff) | ((device >>> 12) & 0xfff00);
    before = all();
  }

  /** Counts from now on. */
  static DiskReads from(Path folder) throws IOException {
    return new DiskReads(((Number) Files.getAttribute(folder, "unix:dev")).longValue());
  }

  /** Bytes read since. */
  long bytes() throws IOException {
    return all() - before;
  }

  /** A line has the device's numbers, its name, reads, reads merged and sectors read. */
  private long all() throws IOException {
    for (String line : Files.readAllLines(COUNTS)) {
      String[] words = line.strip().split(" +", -1);
      if (Long.parseLong(words[0]) == major && Long.parseLong(words[1]) == minor) {
        return SECTOR * Long.parseLong(words[5]);
      }
    }
    throw new IOException("the disk " + major + ":" + minor + " is not in " + COUNTS);
  }
}
