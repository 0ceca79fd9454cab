package dev.heddle.graph;

import dev.heddle.graph.store.StoreDraft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Arcs on their way to being sorted, on disk: a file for every range of rows, so that a range can
 * be sorted in memory. Any number of threads add arcs in any order.
 */
final class ArcBuckets implements AutoCloseable {
  /** What a thread that sorts holds: 16 MB of ids. */
  private static final long ARCS_PER_BUCKET = 1 << 22;

  private static final int BUFFER = 1 << 16;

  private final int vertices;
  private final int shift;
  private final FileChannel[] files;

  /** Buffers that no thread fills at present; arcs wait in them until the bucket is read. */
  private final Queue<Writer> idle = new ConcurrentLinkedQueue<>();

  ArcBuckets(StoreDraft draft, int vertices, double expectedArcs) {
    this.vertices = vertices;
    double rows = Math.max(1, vertices * Math.min(1, ARCS_PER_BUCKET / expectedArcs));
    // A power of two, so that finding a row's bucket is a shift.
    this.shift = Math.min(30, Math.getExponent(rows) + (rows >= vertices ? 1 : 0));
    this.files = new FileChannel[(int) ((vertices - 1L) >> shift) + 1];
    for (int i = 0; i < files.length; i++) {
      try {
        files[i] =
            FileChannel.open(
                draft.scratch("arcs." + i),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
      } catch (IOException e) {
        close();
        throw new UncheckedIOException("cannot make a temporary file: " + e.getMessage(), e);
      }
    }
  }

  int count() {
    return files.length;
  }

  int firstRow(int bucket) {
    return bucket << shift;
  }

  int endRow(int bucket) {
    return (int) Math.min(vertices, (bucket + 1L) << shift);
  }

  /** Buffers for a thread; {@link Writer#close} gives them back. */
  Writer writer() {
    Writer writer = idle.poll();
    return writer == null ? new Writer() : writer;
  }

  /** Brings everything that waits in buffers to the files; no thread may be adding. */
  void flush() {
    for (Writer writer : idle) {
      writer.flush();
    }
  }

  /** The file of a bucket: pairs of ints, row and id. */
  FileChannel file(int bucket) {
    return files[bucket];
  }

  private void append(int bucket, ByteBuffer arcs) {
    FileChannel file = files[bucket];
    synchronized (file) {
      try {
        while (arcs.hasRemaining()) {
          file.write(arcs);
        }
      } catch (IOException e) {
        throw new UncheckedIOException("arcs cannot be sorted on disk: " + e.getMessage(), e);
      }
    }
  }

  /** One thread's way to add arcs. */
  final class Writer implements AutoCloseable {
    private final ByteBuffer[] buffers = new ByteBuffer[files.length];

    private Writer() {
      for (int i = 0; i < buffers.length; i++) {
        buffers[i] = ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.nativeOrder());
      }
    }

    void add(int row, int id) {
      int bucket = row >> shift;
      ByteBuffer buffer = buffers[bucket];
      if (buffer.remaining() < 2 * Integer.BYTES) {
        flush(bucket);
      }
      buffer.putInt(row).putInt(id);
    }

    private void flush(int bucket) {
      append(bucket, buffers[bucket].flip());
      buffers[bucket].clear();
    }

    private void flush() {
      for (int bucket = 0; bucket < buffers.length; bucket++) {
        flush(bucket);
      }
    }

    @Override
    public void close() {
      idle.add(this);
    }
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
