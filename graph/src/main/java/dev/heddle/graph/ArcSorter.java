package dev.heddle.graph;

import dev.heddle.graph.store.ArrayWriter;
import dev.heddle.graph.store.ElementType;
import dev.heddle.graph.store.Names;
import dev.heddle.graph.store.StoreDraft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Sorts arcs into the arrays of a store that hold them by destination, in memory that does not
 * depend on their number: an external counting sort. Arcs come in any order and wait in a file for
 * every range of destinations; a range is then sorted in memory.
 *
 * <p>The result does not depend on the order in which arcs came: those between the same ends are
 * ordered by type, time and weight.
 */
public final class ArcSorter implements AutoCloseable {
  /** Arcs of a range that is sorted at a time, as far as destinations are even. */
  private static final long ARCS_PER_RANGE = 1 << 22;

  private static final int BUFFER = 1 << 16;

  /**
   * What is kept of arcs beside their ends, and what becomes of them.
   *
   * @param mirrored each arc goes both ways
   * @param merged repeated arcs of the same type become one: their weights are added, the latest
   *     time stays
   */
  public record Form(
      boolean weights, boolean types, boolean times, boolean mirrored, boolean merged) {
    int bytes() {
      return 2 * Integer.BYTES
          + (weights ? Float.BYTES : 0)
          + (types ? Integer.BYTES : 0)
          + (times ? Long.BYTES : 0);
    }
  }

  private final StoreDraft draft;
  private final Form form;
  private final int vertices;
  private final int shift;
  private final FileChannel[] files;
  private final ByteBuffer[] buffers;

  /**
   * Begins with no arcs.
   *
   * @param expected how many arcs will be added, roughly: decides how many ranges there are
   */
  public ArcSorter(StoreDraft draft, int vertices, long expected, Form form) {
    this.draft = draft;
    this.form = form;
    this.vertices = vertices;
    double arcs = (double) Math.max(1, expected) * (form.mirrored ? 2 : 1);
    double rows = Math.max(1, vertices * Math.min(1, ARCS_PER_RANGE / arcs));
    // A power of two, so that finding a row's range is a shift.
    this.shift = Math.min(30, Math.getExponent(rows) + (rows >= vertices ? 1 : 0));
    this.files = new FileChannel[(int) ((vertices - 1L) >> shift) + 1];
    this.buffers = new ByteBuffer[files.length];
    int whole = BUFFER / form.bytes() * form.bytes();
    for (int i = 0; i < files.length; i++) {
      buffers[i] = ByteBuffer.allocateDirect(whole).order(ByteOrder.nativeOrder());
      try {
        files[i] =
            FileChannel.open(
                draft.scratch("range." + i),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
      } catch (IOException e) {
        close();
        throw failed("cannot be written to disk", e);
      }
    }
  }

  private static UncheckedIOException failed(String what, IOException e) {
    return new UncheckedIOException(
        "arcs that are being sorted " + what + ": " + e.getMessage(), e);
  }

  /** Adds an arc, or both if arcs are mirrored; what the form does not keep is passed over. */
  public void add(int source, int target, float weight, int type, long time) {
    append(target, source, weight, type, time);
    if (form.mirrored && source != target) {
      append(source, target, weight, type, time);
    }
  }

  private void append(int row, int id, float weight, int type, long time) {
    ByteBuffer buffer = buffers[row >> shift];
    if (!buffer.hasRemaining()) {
      flush(row >> shift);
    }
    buffer.putInt(row).putInt(id);
    if (form.weights) {
      buffer.putFloat(weight);
    }
    if (form.types) {
      buffer.putInt(type);
    }
    if (form.times) {
      buffer.putLong(time);
    }
  }

  private void flush(int range) {
    ByteBuffer buffer = buffers[range].flip();
    try {
      while (buffer.hasRemaining()) {
        files[range].write(buffer);
      }
    } catch (IOException e) {
      throw failed("cannot be written to disk", e);
    }
    buffer.clear();
  }

  /** Writes the arrays and returns how many arcs there are in them. */
  public long finish() {
    try (ArrayWriter offsets = draft.vector(Names.IN + Names.OFFSETS, ElementType.INT64);
        ArrayWriter ids = draft.vector(Names.IN + Names.IDS, ElementType.INT32);
        ArrayWriter weights = optional(form.weights, Names.WEIGHTS, ElementType.FLOAT32);
        ArrayWriter types = optional(form.types, Names.TYPES, ElementType.UINT16);
        ArrayWriter times = optional(form.times, Names.TIMES, ElementType.INT64)) {
      ArcRange sorted = new ArcRange(form);
      long arcs = 0;
      offsets.writeLong(0);
      for (int range = 0; range < files.length; range++) {
        flush(range);
        int first = range << shift;
        int rows = (int) Math.min(vertices - (long) first, 1L << shift);
        try {
          sorted.sort(files[range], first, rows);
          files[range].close();
        } catch (IOException e) {
          throw failed("cannot be read back", e);
        }
        for (int row = 0; row < rows; row++) {
          offsets.writeLong(arcs + sorted.end(row));
        }
        sorted.write(ids, weights, types, times);
        arcs += sorted.size();
      }
      for (ArrayWriter writer : new ArrayWriter[] {offsets, ids, weights, types, times}) {
        if (writer != null) {
          writer.finish();
        }
      }
      return arcs;
    }
  }

  private @Nullable ArrayWriter optional(boolean there, String name, ElementType type) {
    return there ? draft.vector(Names.IN + name, type) : null;
  }

  @Override
  public void close() {
    for (FileChannel file : files) {
      try {
        if (file != null) {
          file.close();
        }
      } catch (IOException _) {
        // They are scratch files.
      }
    }
  }
}
