package dev.heddle.graph.store;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/**
 * Writes one array from its first byte to its last. How long it is need not be known before: the
 * header is written at the end.
 */
public final class ArrayWriter implements AutoCloseable {
  private static final int BUFFER = 1 << 20;

  private final ArrayOwner owner;
  private final Path file;
  private final ElementType type;
  private final int columns;
  private final FileChannel channel;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.LITTLE_ENDIAN);
  private final MemorySegment bufferBytes = MemorySegment.ofBuffer(buffer);
  private final CRC32 crc = new CRC32();
  private long flushed;

  /**
   * Begins an array.
   *
   * @param columns of a matrix; 0 for a vector
   */
  ArrayWriter(ArrayOwner owner, Path file, ElementType type, int columns) {
    this.owner = owner;
    this.file = file;
    this.type = type;
    this.columns = columns;
    try {
      channel =
          FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)
              .position(ArrayHeader.BYTES);
    } catch (IOException e) {
      throw Failures.unwritable(file, e);
    }
  }

  /** Elements as they lie in memory; of a matrix, whole rows with their padding. */
  public void write(MemorySegment from, long offset, long bytes) {
    for (long done = 0; done < bytes; ) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      int part = (int) Math.min(buffer.remaining(), bytes - done);
      MemorySegment.copy(from, offset + done, bufferBytes, buffer.position(), part);
      buffer.position(buffer.position() + part);
      done += part;
    }
  }

  public void write(byte[] values) {
    write(MemorySegment.ofArray(values), 0, values.length);
  }

  public void writeInt(int value) {
    if (buffer.remaining() < Integer.BYTES) {
      flush();
    }
    buffer.putInt(value);
  }

  public void writeShort(short value) {
    if (buffer.remaining() < Short.BYTES) {
      flush();
    }
    buffer.putShort(value);
  }

  public void writeLong(long value) {
    if (buffer.remaining() < Long.BYTES) {
      flush();
    }
    buffer.putLong(value);
  }

  public void writeFloat(float value) {
    if (buffer.remaining() < Float.BYTES) {
      flush();
    }
    buffer.putFloat(value);
  }

  /** Ends the array; it is put to disk while others are written. */
  public void finish() {
    long bytes = flushed + buffer.position();
    long perRow = columns == 0 ? type.bytes : ArrayShape.matrix(1, columns).dataBytes();
    long rows = bytes / perRow;
    if (bytes % perRow != 0) {
      throw new IllegalStateException(bytes + " bytes are no whole number of rows of " + file);
    }
    ArrayShape shape =
        columns == 0 ? ArrayShape.vector(type, rows) : ArrayShape.matrix(rows, columns);
    for (long padding = shape.paddedBytes() - bytes; padding > 0; padding--) {
      if (!buffer.hasRemaining()) {
        flush();
      }
      buffer.put((byte) 0);
    }
    flush();
    ArrayEntry entry = new ArrayEntry(file.getFileName().toString(), shape, (int) crc.getValue());
    try {
      ByteBuffer header = ArrayHeader.encode(shape, entry.checksum());
      for (int at = 0; header.hasRemaining(); ) {
        at += channel.write(header, at);
      }
    } catch (IOException e) {
      throw Failures.unwritable(file, e);
    }
    owner.written(entry, channel);
  }

  private void flush() {
    buffer.flip();
    flushed += buffer.remaining();
    crc.update(buffer.duplicate());
    try {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      throw Failures.unwritable(file, e);
    }
    buffer.clear();
  }

  /** Removes an array that was not finished. */
  @Override
  public void close() {
    if (owner.owns(channel)) {
      return;
    }
    try (channel) {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // Goes away with the draft.
    }
  }
}
