package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads all of a store: first every checksum, then everything that readers rely on. Takes time
 * linear in the store and some bytes of memory per vertex.
 */
final class StoreCheck {
  private final Path folder;
  private final Manifest manifest;
  private final StoreArrays arrays;
  private final int vertices;

  private StoreCheck(Path folder, Manifest manifest, Memory memory) {
    this.folder = folder;
    this.manifest = manifest;
    this.arrays = new StoreArrays(folder, manifest.arrays(), memory);
    this.vertices = (int) manifest.vertices();
  }

  static void run(Path folder, Manifest manifest) {
    try (Memory memory = new Memory()) {
      StoreCheck check = new StoreCheck(folder, manifest, memory);
      check.files();
      for (ArrayEntry entry : manifest.arrays().values()) {
        entry.verify(folder, check.arrays.vector(entry.name()));
      }
      check.arcs();
      check.features();
      check.labels();
      for (int split = 0; split < manifest.splits(); split++) {
        check.split(split);
      }
      if (manifest.has(Names.USER_IDS)) {
        IdCheck.run(folder, check.arrays, check.vertices);
      }
      check.partitions();
    }
  }

  private void files() {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        // A writer of a partition that died may have left its file.
        boolean left = name.startsWith(Names.PARTITION) || name.startsWith(".");
        if (!name.equals(Manifest.FILE) && !manifest.has(name) && !left) {
          throw new GraphFormatException(file, "not listed in the manifest");
        }
      }
    } catch (IOException e) {
      throw new GraphFormatException(folder, "cannot be read: " + Failures.reason(e), e);
    }
  }

  private void arcs() {
    Csr in = rows(Names.IN, vertices);
    Csr out = manifest.symmetric() ? in : rows(Names.OUT, vertices);
    transposed(in, out, manifest.symmetric() ? Names.IN : Names.OUT);
    ArcTypes types = arrays.arcTypes(manifest);
    for (long arc = 0; types != null && arc < types.arcs(); arc++) {
      if (types.at(arc) >= types.names().size()) {
        throw fault(
            Names.IN + Names.TYPES,
            "arc " + arc + " is of type " + types.at(arc) + " of " + types.names().size());
      }
    }
  }

  /** Sparse rows whose ids are in range and ascend, and whose weights are finite. */
  private Csr rows(String prefix, int cols) {
    Csr csr = arrays.csr(prefix, cols);
    MemorySegment weights = csr.weights();
    long total = arrays.rows(prefix + Names.IDS);
    long from = csr.offset(0);
    if (from != 0) {
      throw fault(prefix + Names.OFFSETS, "does not begin with 0");
    }
    for (int row = 0; row < csr.rows(); row++) {
      long to = csr.offset(row + 1);
      if (to < from || to > total) {
        throw fault(prefix + Names.OFFSETS, "row " + row + " goes from " + from + " to " + to);
      }
      int previous = 0;
      for (long arc = from; arc < to; arc++) {
        int id = csr.id(arc);
        if (id < 0 || id >= cols) {
          throw fault(prefix + Names.IDS, "row " + row + " has " + id + ": out of range");
        }
        if (id < previous) {
          throw fault(prefix + Names.IDS, "row " + row + " has " + id + " after " + previous);
        }
        if (weights != null && !Float.isFinite(csr.weight(arc))) {
          throw fault(prefix + Names.WEIGHTS, "value " + arc + " is " + csr.weight(arc));
        }
        previous = id;
      }
      from = to;
    }
    if (from != total) {
      throw fault(prefix + Names.OFFSETS, "ends with " + from + ", not " + total);
    }
    return csr;
  }

  /**
   * Walks the rows of {@code a} in order: each arc must be the next one of its row of {@code b},
   * because transposing keeps the order of equal arcs.
   */
  private void transposed(Csr a, Csr b, String name) {
    if ((a.weights() == null) != (b.weights() == null)) {
      throw fault(name + Names.IDS, "only one of the two directions has weights");
    }
    long[] next = new long[b.rows()];
    for (int row = 0; row < b.rows(); row++) {
      next[row] = b.offset(row);
    }
    for (int row = 0; row < a.rows(); row++) {
      for (long arc = a.offset(row), end = a.offset(row + 1); arc < end; arc++) {
        int id = a.id(arc);
        long mirror = next[id]++;
        if (mirror >= b.offset(id + 1)
            || b.id(mirror) != row
            || Float.floatToRawIntBits(b.weight(mirror))
                != Float.floatToRawIntBits(a.weight(arc))) {
          throw fault(
              name + Names.IDS,
              "is not the transpose: it lacks the arc between " + id + " and " + row);
        }
      }
    }
    if (a.arcs() != b.arcs()) {
      throw fault(name + Names.IDS, "is not the transpose: it has more arcs");
    }
  }

  private void features() {
    if (manifest.has(Names.FEATURES)) {
      finite(Names.FEATURES);
    } else if (manifest.has(Names.FEATURES + Names.OFFSETS)) {
      int width = (int) arrays.rows(Names.COLUMNS + Names.OFFSETS) - 1;
      transposed(rows(Names.FEATURES, width), rows(Names.COLUMNS, vertices), Names.COLUMNS);
    }
  }

  private Matrix finite(String name) {
    Matrix matrix = arrays.matrix(name);
    for (int row = 0; row < matrix.rows(); row++) {
      long first = (long) row * matrix.stride();
      for (int col = 0; col < matrix.cols(); col++) {
        float value = matrix.data().getAtIndex(JAVA_FLOAT, first + col);
        if (!Float.isFinite(value)) {
          throw fault(name, "row " + row + ", column " + col + " is " + value);
        }
      }
    }
    return matrix;
  }

  private void labels() {
    LabelInfo info = manifest.labels();
    if (info == null) {
      return;
    }
    switch (info.kind()) {
      case CLASS -> {
        MemorySegment values = arrays.vector(Names.LABELS);
        for (int v = 0; v < vertices; v++) {
          int label = values.getAtIndex(JAVA_INT, v);
          if (label < ClassLabels.NONE || label >= info.width()) {
            throw fault(
                Names.LABELS,
                "vertex " + v + " has label " + label + " of " + info.width() + " classes");
          }
        }
      }
      case MULTI -> {
        Matrix values = finite(Names.LABELS);
        for (int v = 0; v < vertices; v++) {
          for (int label = 0; label < values.cols(); label++) {
            float value = values.get(v, label);
            if (value != 0 && value != 1) {
              throw fault(Names.LABELS, "vertex " + v + " has " + value + " for label " + label);
            }
          }
        }
      }
      case REAL -> finite(Names.LABELS);
    }
  }

  private void split(int number) {
    byte[] partOf = new byte[vertices];
    MemorySegment classes = classes();
    byte part = 0;
    for (String partName : new String[] {Names.TRAIN, Names.VALID, Names.TEST}) {
      part++;
      String name = Names.split(number, partName);
      MemorySegment members = arrays.vector(name);
      int previous = -1;
      for (long i = 0, n = arrays.rows(name); i < n; i++) {
        int vertex = members.getAtIndex(JAVA_INT, i);
        if (vertex <= previous || vertex >= vertices) {
          throw fault(name, "value " + i + " is " + vertex + ", after " + previous);
        }
        if (partOf[vertex] != 0) {
          throw fault(name, "vertex " + vertex + " is also in another part");
        }
        if (classes != null && classes.getAtIndex(JAVA_INT, vertex) == ClassLabels.NONE) {
          throw fault(name, "vertex " + vertex + " has no label");
        }
        partOf[vertex] = part;
        previous = vertex;
      }
    }
  }

  private @Nullable MemorySegment classes() {
    LabelInfo info = manifest.labels();
    return info != null && info.kind() == LabelInfo.Kind.CLASS ? arrays.vector(Names.LABELS) : null;
  }

  private void partitions() {
    for (String name : manifest.arrays().keySet()) {
      if (!name.startsWith(Names.PARTITION)) {
        continue;
      }
      int count = StoredPartitions.number(name);
      MemorySegment parts = arrays.vector(name);
      for (int v = 0; v < vertices; v++) {
        int part = parts.getAtIndex(JAVA_INT, v);
        if (part < 0 || part >= count) {
          throw fault(name, "vertex " + v + " is in part " + part + " of " + count);
        }
      }
    }
  }

  private GraphFormatException fault(String array, String fault) {
    return new GraphFormatException(folder.resolve(array), fault);
  }
}
