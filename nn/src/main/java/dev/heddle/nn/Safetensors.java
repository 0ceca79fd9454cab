package dev.heddle.nn;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.Map;

/**
 * A safetensors file opened for reading: named tensors that other libraries read and write too.
 *
 * <p>The format: a little-endian long {@code n}, {@code n} bytes of JSON that name the tensors and
 * give their types, shapes and places, then the tensors, row-major and little-endian, without gaps.
 * The file is mapped, and checked completely when it is opened; what is wrong with it is told by a
 * {@link WeightFileException}. The thread that opens a file reads and closes it. {@link
 * SafetensorsWriter} writes such files.
 */
public final class Safetensors implements AutoCloseable {
  /** What other readers allow: a larger header is an attack or no header. */
  private static final long MAX_HEADER = 100_000_000;

  private static final ValueLayout.OfLong LONG =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Path file;
  private final Arena arena;
  private final MemorySegment all;
  private final MemorySegment data;
  private final SafetensorsHeader header;

  private Safetensors(Path file, Arena arena, MemorySegment all, SafetensorsHeader header) {
    this.file = file;
    this.arena = arena;
    this.all = all;
    this.data = all.asSlice(Long.BYTES + all.get(LONG, 0));
    this.header = header;
  }

  /** Opens and checks a file. */
  public static Safetensors open(Path file) {
    Arena arena = Arena.ofConfined();
    try {
      return open(file, arena);
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  private static Safetensors open(Path file, Arena arena) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      if (size < Long.BYTES) {
        throw new WeightFileException(file, size + " bytes are too few for a safetensors file");
      }
      MemorySegment all = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
      long length = all.get(LONG, 0);
      if (length < 0 || length > MAX_HEADER || length > size - Long.BYTES) {
        throw new WeightFileException(file, "is cut off in the header, or no safetensors file");
      }
      MemorySegment json = all.asSlice(Long.BYTES, length);
      var header = SafetensorsHeader.parse(json.asByteBuffer(), size - Long.BYTES - length);
      return new Safetensors(file, arena, all, header);
    } catch (SafetensorsHeader.Malformed e) {
      throw new WeightFileException(file, e.reason(), e);
    } catch (NoSuchFileException e) {
      throw new WeightFileException(file, "no such file", e);
    } catch (IOException e) {
      throw new WeightFileException(file, "cannot be read: " + e.getMessage(), e);
    }
  }

  /**
   * Refuses a file that is not byte by byte what {@link SafetensorsWriter} wrote: one without a
   * checksum, or with another one than its bytes have.
   */
  public Safetensors verified() {
    String expected = header.metadata().get(SafetensorsChecksum.KEY);
    if (expected == null) {
      throw new WeightFileException(file, "has no checksum");
    }
    if (!SafetensorsChecksum.of(all, expected).equals(expected)) {
      throw new WeightFileException(file, "is damaged: its checksum is wrong");
    }
    return this;
  }

  /** The tensors by name, in the order of the file. */
  public Map<String, TensorEntry> tensors() {
    return Collections.unmodifiableMap(header.tensors());
  }

  /** Strings that were written along. */
  public Map<String, String> metadata() {
    return Collections.unmodifiableMap(header.metadata());
  }

  /**
   * A float tensor as a matrix: the last dimension becomes the columns, all others together the
   * rows. A vector becomes one row, a single value 1 × 1.
   */
  public Matrix matrix(Memory memory, String name) {
    TensorEntry entry = entry(name, TensorType.F32);
    long cols = cols(entry);
    long rows = cols == 0 ? 0 : entry.count() / cols;
    if (cols < 1 || cols > Integer.MAX_VALUE || rows > Integer.MAX_VALUE) {
      throw misshapen(name, entry, "what a matrix can hold");
    }
    Matrix m = Matrix.allocate(memory, (int) rows, (int) cols);
    copy(entry, m);
    return m;
  }

  /** Fills a matrix of the shape that {@link #matrix} would have. */
  public void read(String name, Matrix target) {
    TensorEntry entry = entry(name, TensorType.F32);
    if (cols(entry) != target.cols() || entry.count() != (long) target.rows() * target.cols()) {
      throw misshapen(name, entry, target.rows() + " x " + target.cols());
    }
    copy(entry, target);
  }

  /** The values of an int tensor of any shape. */
  public int[] ints(String name) {
    TensorEntry entry = entry(name, TensorType.I32);
    int[] values = new int[length(name, entry)];
    MemorySegment.copy(data, INT, entry.begin(), values, 0, values.length);
    return values;
  }

  /** The values of a long tensor of any shape. */
  public long[] longs(String name) {
    TensorEntry entry = entry(name, TensorType.I64);
    long[] values = new long[length(name, entry)];
    MemorySegment.copy(data, LONG, entry.begin(), values, 0, values.length);
    return values;
  }

  @Override
  public void close() {
    arena.close();
  }

  private TensorEntry entry(String name, TensorType type) {
    TensorEntry entry = header.tensors().get(name);
    if (entry == null) {
      throw new WeightFileException(file, "has no tensor '" + name + "'");
    }
    if (entry.type() != type) {
      throw new WeightFileException(
          file, "tensor '" + name + "' is of " + entry.type() + ", not " + type);
    }
    return entry;
  }

  private static long cols(TensorEntry entry) {
    return entry.shape().isEmpty() ? 1 : entry.shape().getLast();
  }

  private int length(String name, TensorEntry entry) {
    if (entry.count() > Integer.MAX_VALUE) {
      throw misshapen(name, entry, "what an array can hold");
    }
    return (int) entry.count();
  }

  private WeightFileException misshapen(String name, TensorEntry entry, String wanted) {
    return new WeightFileException(
        file, "tensor '" + name + "' has shape " + entry.shape() + ", not " + wanted);
  }

  private void copy(TensorEntry entry, Matrix to) {
    for (int row = 0; row < to.rows(); row++) {
      long at = entry.begin() + (long) row * to.cols() * Float.BYTES;
      MemorySegment.copy(data, FLOAT, at, to.data(), JAVA_FLOAT, to.offset(row), to.cols());
    }
  }
}
