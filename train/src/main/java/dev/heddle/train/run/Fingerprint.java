package dev.heddle.train.run;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * A short text by which a graph is known again: its counts and a checksum of arcs, features, labels
 * and split in the order they lie in memory. Of dense matrices with many rows, evenly spaced ones
 * are looked at, so that features larger than memory need not be read.
 */
public final class Fingerprint {
  private static final int ROWS = 1 << 16;
  private static final long PART = 1 << 24;

  private final CRC32C sum = new CRC32C();

  private Fingerprint() {}

  static String of(Graph graph) {
    Fingerprint f = new Fingerprint();
    f.add(graph.in());
    switch (graph.features()) {
      case DenseFeatures dense -> f.add(dense.matrix());
      case SparseFeatures sparse -> f.add(sparse.byRow());
      case null -> {}
    }
    switch (graph.labels()) {
      case ClassLabels classes -> f.add(classes.values(), (long) classes.rows() * Integer.BYTES);
      case MultiLabels multi -> f.add(multi.values());
      case RealLabels real -> f.add(real.values());
      case null -> {}
    }
    Split split = graph.split();
    if (split != null) {
      f.add(split.train());
      f.add(split.valid());
      f.add(split.test());
    }
    String checksum = HexFormat.of().toHexDigits((int) f.sum.getValue());
    return graph.vertices() + " vertices, " + graph.arcs() + " arcs, " + checksum;
  }

  private void add(Csr csr) {
    add(csr.offsets(), (csr.rows() + 1L) * Long.BYTES);
    add(csr.ids(), csr.arcs() * Integer.BYTES);
    MemorySegment weights = csr.weights();
    if (weights != null) {
      add(weights, csr.arcs() * Float.BYTES);
    }
  }

  private void add(Matrix m) {
    int rows = Math.min(m.rows(), ROWS);
    for (int i = 0; i < rows; i++) {
      int row = (int) ((long) i * m.rows() / rows);
      sum.update(m.data().asSlice(m.offset(row), (long) m.cols() * Float.BYTES).asByteBuffer());
    }
  }

  private void add(int[] values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * Integer.BYTES);
    bytes.asIntBuffer().put(values);
    sum.update(bytes);
  }

  private void add(MemorySegment values, long bytes) {
    for (long at = 0; at < bytes; at += PART) {
      sum.update(values.asSlice(at, Math.min(PART, bytes - at)).asByteBuffer());
    }
  }
}
