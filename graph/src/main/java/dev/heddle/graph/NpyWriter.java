package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * Writes arrays in NumPy's file format, version 1.0.
 *
 * <p>A file appears under its name only when it is whole and on disk.
 */
public final class NpyWriter {
  private static final int PREAMBLE = 10;

  /** NumPy wants data to begin at a multiple of this. */
  private static final int ALIGNMENT = 64;

  private static final int BUFFER = 1 << 20;

  private NpyWriter() {}

  /** Writes a matrix as float32 of two dimensions. */
  public static void write(Path file, Matrix matrix) throws IOException {
    long rowBytes = (long) matrix.cols() * Float.BYTES;
    String shape = "(" + matrix.rows() + ", " + matrix.cols() + ")";
    try (Rows out = new Rows(file, Npy.Type.F4, shape)) {
      for (int row = 0; row < matrix.rows(); row++) {
        out.write(matrix.data(), matrix.offset(row), rowBytes);
      }
      out.finish();
    }
  }

  /** Reads one row of what is written. */
  @FunctionalInterface
  public interface RowReader {
    void read(int row, float[] into);
  }

  /** Writes rows as float32 of two dimensions, as they are read one after another. */
  public static void write(Path file, int rows, int cols, RowReader reader) throws IOException {
    String shape = "(" + rows + ", " + cols + ")";
    float[] row = new float[cols];
    MemorySegment bytes = MemorySegment.ofArray(row);
    try (Rows out = new Rows(file, Npy.Type.F4, shape)) {
      for (int r = 0; r < rows; r++) {
        reader.read(r, row);
        out.write(bytes, 0, bytes.byteSize());
      }
      out.finish();
    }
  }

  /** Writes an array as int32 of one dimension. */
  public static void write(Path file, int[] values) throws IOException {
    try (Arena arena = Arena.ofConfined();
        Rows out = new Rows(file, Npy.Type.I4, "(" + values.length + ",)")) {
      MemorySegment copy = arena.allocateFrom(JAVA_INT, values);
      out.write(copy, 0, copy.byteSize());
      out.finish();
    }
  }

  /** Writes an array as float32 of one dimension. */
  public static void write(Path file, float[] values) throws IOException {
    try (Arena arena = Arena.ofConfined();
        Rows out = new Rows(file, Npy.Type.F4, "(" + values.length + ",)")) {
      MemorySegment copy = arena.allocateFrom(JAVA_FLOAT, values);
      out.write(copy, 0, copy.byteSize());
      out.finish();
    }
  }

  /** A file being written under a temporary name. */
  private static final class Rows implements AutoCloseable {
    private final Path file;
    private final Path temporary;
    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);

    Rows(Path file, Npy.Type type, String shape) throws IOException {
      this.file = file;
      this.temporary = file.resolveSibling(file.getFileName() + ".tmp");
      this.channel =
          FileChannel.open(
              temporary,
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.WRITE);
      String header =
          "{'descr': '" + type.code + "', 'fortran_order': False, 'shape': " + shape + ", }";
      int length = PREAMBLE + header.length() + 1;
      int padding = (ALIGNMENT - length % ALIGNMENT) % ALIGNMENT;
      int total = header.length() + padding + 1;
      buffer.put(Npy.MAGIC).put((byte) 1).put((byte) 0);
      buffer.put((byte) total).put((byte) (total >>> 8));
      String line = header + " ".repeat(padding) + "\n";
      buffer.put(line.getBytes(StandardCharsets.ISO_8859_1));
    }

    void write(MemorySegment from, long offset, long bytes) throws IOException {
      for (long done = 0; done < bytes; ) {
        if (!buffer.hasRemaining()) {
          flush();
        }
        int part = (int) Math.min(buffer.remaining(), bytes - done);
        MemorySegment.copy(from, offset + done, MemorySegment.ofBuffer(buffer), 0, part);
        buffer.position(buffer.position() + part);
        done += part;
      }
    }

    private void flush() throws IOException {
      buffer.flip();
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      buffer.clear();
    }

    void finish() throws IOException {
      flush();
      channel.force(true);
      channel.close();
      Files.move(
          temporary, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void close() throws IOException {
      channel.close();
      Files.deleteIfExists(temporary);
    }
  }
}
