package dev.heddle.graph.store;

import dev.heddle.graph.GraphFormatException;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.zip.CRC32;

/**
 * An array as the manifest lists it, and the way to its file.
 *
 * @param checksum CRC-32 of all that follows the header
 */
record ArrayEntry(String name, ArrayShape shape, int checksum) {
  private static final int CHUNK = 1 << 26;

  /** Checks length and header, which takes no time, whatever the size. */
  void check(Path folder) {
    Path file = folder.resolve(name);
    try (FileChannel channel = open(file)) {
      long length = channel.size();
      if (length != shape.fileBytes()) {
        throw new GraphFormatException(
            file, length + " bytes long, but the manifest says " + shape.fileBytes());
      }
      ByteBuffer header = ByteBuffer.allocate(ArrayHeader.BYTES);
      while (header.hasRemaining() && channel.read(header) >= 0) {
        // A read may return less than asked for.
      }
      if (!Arrays.equals(header.array(), ArrayHeader.encode(shape, checksum).array())) {
        throw new GraphFormatException(file, ArrayHeader.fault(header.array()));
      }
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /** What follows the header, where it lies. */
  MemorySegment map(Path folder, Memory memory) {
    Path file = folder.resolve(name);
    try (FileChannel channel = open(file)) {
      return memory.map(channel, ArrayHeader.BYTES, shape.paddedBytes());
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  /** Reads all of the file's data and compares its checksum. */
  void verify(Path folder, MemorySegment data) {
    CRC32 crc = new CRC32();
    for (long at = 0; at < data.byteSize(); at += CHUNK) {
      crc.update(data.asSlice(at, Math.min(CHUNK, data.byteSize() - at)).asByteBuffer());
    }
    if ((int) crc.getValue() != checksum) {
      throw new GraphFormatException(
          folder.resolve(name),
          String.format(
              Locale.ROOT,
              "damaged: its checksum is %08x, but the manifest says %08x",
              crc.getValue(),
              checksum));
    }
  }

  private static FileChannel open(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new GraphFormatException(file, "a folder in place of a file");
    }
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  private static GraphFormatException unreadable(Path file, IOException e) {
    String fault =
        e instanceof NoSuchFileException
            ? "no such file, but the manifest lists it"
            : "cannot be read: " + Failures.reason(e);
    return new GraphFormatException(file, fault, e);
  }
}
