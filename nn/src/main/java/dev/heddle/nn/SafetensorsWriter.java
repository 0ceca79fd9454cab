package dev.heddle.nn;

import dev.heddle.kernel.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * Collects named tensors and writes them into a safetensors file; see {@link Safetensors}.
 *
 * <p>The file appears complete or not at all: it is written under a temporary name beside its own,
 * synced to the disk and renamed. Matrices are read when the file is written, not when they are
 * added, and without their padding.
 */
public final class SafetensorsWriter {
  private final List<Content> contents = new ArrayList<>();
  private final Map<String, String> metadata = new LinkedHashMap<>();

  /** Rows of little-endian values that lie {@code stride} bytes apart in memory. */
  private record Content(String name, TensorEntry entry, MemorySegment data, long stride) {
    long rowBytes() {
      return entry.shape().getLast() * entry.type().bytes();
    }
  }

  /** Adds a string for readers that look for it. */
  public SafetensorsWriter metadata(String key, String value) {
    metadata.put(key, value);
    return this;
  }

  /** Adds a checksum of all bytes, which {@link Safetensors#verified} looks at. */
  public SafetensorsWriter checksummed() {
    return metadata(SafetensorsChecksum.KEY, SafetensorsChecksum.NONE);
  }

  /** Adds a tensor of shape {@code [rows, cols]}. */
  public SafetensorsWriter add(String name, Matrix m) {
    var entry = new TensorEntry(TensorType.F32, List.of((long) m.rows(), (long) m.cols()), 0);
    return add(new Content(name, entry, m.data(), (long) m.stride() * Float.BYTES));
  }

  /** Adds a matrix of one row as a tensor of another shape with as many values. */
  public SafetensorsWriter add(String name, List<Long> shape, Matrix row) {
    long values = shape.stream().mapToLong(Long::longValue).reduce(1, Math::multiplyExact);
    if (row.rows() != 1 || values != row.cols()) {
      throw new IllegalArgumentException(row + " is no row of the values of " + shape);
    }
    var entry = new TensorEntry(TensorType.F32, shape, 0);
    return add(new Content(name, entry, row.data(), shape.getLast() * Float.BYTES));
  }

  /** Adds a vector. */
  public SafetensorsWriter add(String name, int[] values) {
    var entry = new TensorEntry(TensorType.I32, List.of((long) values.length), 0);
    return add(new Content(name, entry, MemorySegment.ofArray(values.clone()), entry.bytes()));
  }

  /** Adds a vector. */
  public SafetensorsWriter add(String name, long[] values) {
    var entry = new TensorEntry(TensorType.I64, List.of((long) values.length), 0);
    return add(new Content(name, entry, MemorySegment.ofArray(values.clone()), entry.bytes()));
  }

  private SafetensorsWriter add(Content content) {
    if (content.name.equals(SafetensorsHeader.METADATA)
        || contents.stream().anyMatch(other -> other.name.equals(content.name))) {
      throw new IllegalArgumentException("the name '" + content.name + "' is taken");
    }
    contents.add(content);
    return this;
  }

  /** Writes the file, in place of one that may be there. */
  public void write(Path file) {
    Path target = file.toAbsolutePath();
    String unique = ProcessHandle.current().pid() + "-" + System.nanoTime();
    Path temporary = target.resolveSibling(target.getFileName() + "." + unique + ".tmp");
    try {
      try {
        writeAndSync(temporary);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(temporary);
      }
    } catch (NoSuchFileException e) {
      throw new WeightFileException(file, "cannot be written: its folder does not exist", e);
    } catch (IOException e) {
      throw new WeightFileException(file, "cannot be written: " + e.getMessage(), e);
    }
    syncFolder(target.resolveSibling("."));
  }

  private void writeAndSync(Path temporary) throws IOException {
    // Widest values first, so that every tensor begins at a multiple of its values' size.
    List<Content> sorted = new ArrayList<>(contents);
    sorted.sort(Comparator.comparingInt(c -> -c.entry.type().bytes()));
    Map<String, TensorEntry> placed = new LinkedHashMap<>();
    long end = 0;
    for (Content c : sorted) {
      var entry = new TensorEntry(c.entry.type(), c.entry.shape(), end);
      placed.put(c.name, entry);
      end = entry.end();
    }
    byte[] header = new SafetensorsHeader(metadata, placed).toBytes();
    try (FileChannel channel =
            FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      var out = new Output(channel, arena);
      out.putLong(header.length);
      out.put(MemorySegment.ofArray(header), 0, header.length);
      for (Content c : sorted) {
        long row = c.rowBytes();
        for (long at = 0, left = c.entry.bytes(); left > 0; at += c.stride, left -= row) {
          out.put(c.data, at, row);
        }
      }
      out.flush();
      if (metadata.containsKey(SafetensorsChecksum.KEY)) {
        out.putChecksum(header);
      }
      channel.force(true);
    }
  }

  /** Makes the new name last; a system that cannot do so still has the file. */
  private static void syncFolder(Path folder) {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    } catch (IOException _) {
      // Windows does not open folders.
    }
  }

  /** A buffer before a channel: a call to the system for every short row would be slow. */
  private static final class Output {
    private static final int BYTES = 1 << 18;

    private final FileChannel channel;
    private final MemorySegment segment;
    private final ByteBuffer buffer;
    private final CRC32C checksum = new CRC32C();

    Output(FileChannel channel, Arena arena) {
      this.channel = channel;
      this.segment = arena.allocate(BYTES);
      this.buffer = segment.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    void putLong(long value) {
      buffer.putLong(value);
    }

    void put(MemorySegment from, long at, long length) throws IOException {
      long done = 0;
      while (done < length) {
        if (!buffer.hasRemaining()) {
          flush();
        }
        int part = (int) Math.min(buffer.remaining(), length - done);
        MemorySegment.copy(from, at + done, segment, buffer.position(), part);
        buffer.position(buffer.position() + part);
        done += part;
      }
    }

    /** Overwrites the place kept for it in the header. */
    void putChecksum(byte[] header) throws IOException {
      long at = (long) Long.BYTES + SafetensorsChecksum.placeIn(header);
      byte[] value = SafetensorsChecksum.text(checksum).getBytes(StandardCharsets.US_ASCII);
      int _ = channel.write(ByteBuffer.wrap(value), at);
    }

    void flush() throws IOException {
      buffer.flip();
      checksum.update(buffer.duplicate());
      while (buffer.hasRemaining()) {
        int _ = channel.write(buffer);
      }
      buffer.clear();
    }
  }
}
