package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.heddle.kernel.Matrix;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An array in NumPy's file format, versions 1.0 and 2.0, read where it lies.
 *
 * <p>Elements are counted in C order, whatever the order of the file.
 */
public final class Npy {
  /** Element types that are read. */
  public enum Type {
    F4("<f4", 4, true),
    F8("<f8", 8, true),
    I4("<i4", 4, false),
    I8("<i8", 8, false),
    U1("|u1", 1, false),
    B1("|b1", 1, false);

    final String code;
    final int bytes;
    final boolean real;

    Type(String code, int bytes, boolean real) {
      this.code = code;
      this.bytes = bytes;
      this.real = real;
    }
  }

  static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfDouble DOUBLE =
      ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final Pattern DESCR = Pattern.compile("'descr'\\s*:\\s*'([^']*)'");
  private static final Pattern FORTRAN = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
  private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9, ]*)\\)");

  private final String name;
  private final Type type;
  private final boolean fortran;
  private final long[] shape;
  private final MemorySegment data;

  private Npy(String name, MemorySegment file) {
    this.name = name;
    if (file.byteSize() < 10 || file.asSlice(0, 6).mismatch(MemorySegment.ofArray(MAGIC)) >= 0) {
      throw fault("not a NumPy file");
    }
    int version = file.get(JAVA_BYTE, 6);
    if (version != 1 && version != 2) {
      throw fault("NumPy format version " + version + " is not 1 or 2");
    }
    long start = version == 1 ? 10 : 12;
    long length = 0;
    if (file.byteSize() >= start) {
      length =
          version == 1
              ? Short.toUnsignedLong(file.get(SHORT, 8))
              : Integer.toUnsignedLong(file.get(INT, 8));
    }
    if (file.byteSize() < start + length) {
      throw fault("truncated inside its header");
    }
    byte[] bytes = file.asSlice(start, length).toArray(JAVA_BYTE);
    String header = new String(bytes, StandardCharsets.ISO_8859_1);
    this.type = typeOf(field(DESCR, header));
    this.fortran = field(FORTRAN, header).equals("True");
    this.shape = shapeOf(field(SHAPE, header));
    this.data = file.asSlice(start + length);
    requireSize();
  }

  /** Reads a file as long as {@code arena} lives. */
  public static Npy map(Path file, Arena arena) {
    if (!Files.isRegularFile(file)) {
      throw new GraphFormatException(file, "no such file");
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      MemorySegment bytes =
          size == 0
              ? MemorySegment.NULL
              : channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
      return new Npy(file.toString(), bytes);
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + e.getMessage(), e);
    }
  }

  /** Reads the bytes of a file. */
  static Npy of(String name, byte[] bytes) {
    return new Npy(name, MemorySegment.ofArray(bytes));
  }

  private String field(Pattern pattern, String header) {
    Matcher matcher = pattern.matcher(header);
    if (!matcher.find()) {
      throw fault("NumPy header without " + pattern.pattern().replaceAll("'(\\w+)'.*", "$1"));
    }
    return matcher.group(1);
  }

  private Type typeOf(String code) {
    for (Type candidate : Type.values()) {
      if (candidate.code.equals(code)) {
        return candidate;
      }
    }
    throw fault("element type '" + code + "' is not one of <f4 <f8 <i4 <i8 |u1 |b1");
  }

  private long[] shapeOf(String list) {
    try {
      return Arrays.stream(list.split(",", -1))
          .map(String::strip)
          .filter(s -> !s.isEmpty())
          .mapToLong(Long::parseLong)
          .toArray();
    } catch (NumberFormatException e) {
      throw fault("shape (" + list + ") is not a list of sizes", e);
    }
  }

  private void requireSize() {
    long expected = type.bytes;
    try {
      for (long dimension : shape) {
        expected = Math.multiplyExact(expected, dimension);
      }
    } catch (ArithmeticException e) {
      throw fault("shape " + shapeText() + " is too large", e);
    }
    if (data.byteSize() != expected) {
      throw fault(
          (data.byteSize() < expected ? "truncated: " : "too long: ")
              + data.byteSize()
              + " bytes of data, but shape "
              + shapeText()
              + " needs "
              + expected);
    }
  }

  GraphFormatException fault(String fault) {
    return new GraphFormatException(name, fault);
  }

  private GraphFormatException fault(String fault, Throwable cause) {
    return new GraphFormatException(name, fault, cause);
  }

  public Type type() {
    return type;
  }

  public int dimensions() {
    return shape.length;
  }

  public long size(int dimension) {
    return shape[dimension];
  }

  /** Number of elements. */
  public long size() {
    return Arrays.stream(shape).reduce(1, (a, b) -> a * b);
  }

  /** A size that must fit an int. */
  int intSize(int dimension) {
    // Some room below the largest int, so that sizes may be rounded up.
    if (shape[dimension] > Integer.MAX_VALUE - 64) {
      throw fault("shape " + shapeText() + " is too large");
    }
    return (int) shape[dimension];
  }

  void requireDimensions(int count) {
    if (shape.length != count) {
      throw fault("shape " + shapeText() + " where " + count + " dimensions are expected");
    }
  }

  /** Type and shape, for messages. */
  String description() {
    return type.code + " of shape " + shapeText();
  }

  /** The shape as NumPy writes it. */
  private String shapeText() {
    String list = Arrays.toString(shape);
    return "(" + list.substring(1, list.length() - 1) + (shape.length == 1 ? ",)" : ")");
  }

  /** An element of an array of one dimension as a float. */
  public float floatAt(long index) {
    return switch (type) {
      case F4 -> data.getAtIndex(FLOAT, index);
      case F8 -> (float) data.getAtIndex(DOUBLE, index);
      default -> longAt(index);
    };
  }

  /** An element of an array of one dimension of integers or booleans. */
  public long longAt(long index) {
    return switch (type) {
      case I4 -> data.getAtIndex(INT, index);
      case I8 -> data.getAtIndex(LONG, index);
      case U1, B1 -> Byte.toUnsignedLong(data.get(JAVA_BYTE, index));
      default -> throw fault("holds " + type.code + ", not integers");
    };
  }

  /** Where element {@code (row, col)} of an array of two dimensions is for the methods above. */
  public long index(long row, long col) {
    return fortran ? col * shape[0] + row : row * shape[1] + col;
  }

  /** Copies a row of an array of two dimensions into a row of a matrix of the same width. */
  public void copyRow(int row, Matrix to) {
    if (type == Type.F4 && !fortran) {
      long bytes = shape[1] * Float.BYTES;
      MemorySegment.copy(data, row * bytes, to.data(), to.offset(row), bytes);
      return;
    }
    for (int col = 0; col < to.cols(); col++) {
      to.set(row, col, floatAt(index(row, col)));
    }
  }
}
