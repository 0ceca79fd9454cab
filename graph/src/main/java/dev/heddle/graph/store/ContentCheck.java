package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.store.ParallelCheck.Fault;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Checks that arrays hold what readers rely on, whoever wrote them: a pass over all of them on all
 * processors, so that no kernel reads by an id that leads elsewhere and nothing is computed from
 * what is no number. Checksums do not tell this; nor does this tell checksums.
 */
final class ContentCheck {
  private static final long VALUES = 1 << 18;

  private final Manifest manifest;
  private final StoreArrays arrays;
  private final ParallelCheck check;
  private final int vertices;

  private ContentCheck(Path folder, Manifest manifest, StoreArrays arrays, ThreadTeam team) {
    this.manifest = manifest;
    this.arrays = arrays;
    this.check = new ParallelCheck(folder, team);
    this.vertices = (int) manifest.vertices();
  }

  /** Throws the first fault. */
  static void run(Path folder, Manifest manifest) {
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(Runtime.getRuntime().availableProcessors())) {
      StoreArrays arrays = new StoreArrays(folder, manifest.arrays(), memory);
      new ContentCheck(folder, manifest, arrays, team).run();
    }
  }

  private void run() {
    arcs();
    features();
    labels();
    for (int split = 0; split < manifest.splits(); split++) {
      split(split);
    }
    if (manifest.has(Names.USER_IDS)) {
      IdCheck.run(check, arrays, vertices);
    }
    partitions();
  }

  private void arcs() {
    ArcCheck rows = new ArcCheck(check, arrays);
    Csr in = rows.rows(Names.IN, vertices);
    Csr out = manifest.symmetric() ? in : rows.rows(Names.OUT, vertices);
    rows.transposed(in, out, manifest.symmetric() ? Names.IN : Names.OUT);
    ArcTypes types = arrays.arcTypes(manifest);
    if (types != null) {
      int names = types.names().size();
      check.run(
          types.arcs(),
          VALUES,
          (from, to) -> {
            for (long arc = from; arc < to; arc++) {
              if (types.at(arc) >= names) {
                return new Fault(
                    Names.IN + Names.TYPES,
                    "arc " + arc + " is of type " + types.at(arc) + " of " + names);
              }
            }
            return null;
          });
    }
    in.unload();
    out.unload();
  }

  private void features() {
    if (manifest.has(Names.FEATURES)) {
      finite(Names.FEATURES);
    } else if (manifest.has(Names.FEATURES + Names.OFFSETS)) {
      ArcCheck rows = new ArcCheck(check, arrays);
      int width = (int) arrays.rows(Names.COLUMNS + Names.OFFSETS) - 1;
      Csr byRow = rows.rows(Names.FEATURES, width);
      Csr byColumn = rows.rows(Names.COLUMNS, vertices);
      rows.transposed(byRow, byColumn, Names.COLUMNS);
      byRow.unload();
      byColumn.unload();
    }
  }

  /** Gives pages back as it goes: a matrix may be larger than memory. */
  private Matrix finite(String name) {
    Matrix matrix = arrays.matrix(name);
    int rows = (int) Math.max(1, VALUES / matrix.stride());
    check.run(
        matrix.rows(),
        rows,
        (from, to) -> {
          Fault fault = finite(matrix, name, (int) from, (int) to);
          MemorySegment part =
              matrix.data().asSlice(matrix.offset((int) from), bytes(matrix, (int) (to - from)));
          Matrix.over(part, (int) (to - from), matrix.cols()).unload();
          return fault;
        });
    return matrix;
  }

  private static long bytes(Matrix matrix, int rows) {
    return (long) rows * matrix.stride() * Float.BYTES;
  }

  private static @Nullable Fault finite(Matrix matrix, String name, int from, int to) {
    MemorySegment data = matrix.data();
    for (int row = from; row < to; row++) {
      long first = (long) row * matrix.stride();
      for (int col = 0; col < matrix.cols(); col++) {
        float value = data.getAtIndex(JAVA_FLOAT, first + col);
        if (!Float.isFinite(value)) {
          return new Fault(name, "row " + row + ", column " + col + " is " + value);
        }
      }
    }
    return null;
  }

  private void labels() {
    LabelInfo info = manifest.labels();
    if (info == null) {
      return;
    }
    switch (info.kind()) {
      case CLASS -> {
        MemorySegment values = arrays.vector(Names.LABELS);
        check.run(vertices, VALUES, (from, to) -> classes(values, info.width(), from, to));
      }
      case MULTI -> {
        Matrix values = finite(Names.LABELS);
        check.run(vertices, VALUES, (from, to) -> zerosAndOnes(values, (int) from, (int) to));
      }
      case REAL -> finite(Names.LABELS);
    }
  }

  private static @Nullable Fault classes(MemorySegment values, int width, long from, long to) {
    for (long v = from; v < to; v++) {
      int label = values.getAtIndex(JAVA_INT, v);
      if (label < ClassLabels.NONE || label >= width) {
        return new Fault(
            Names.LABELS, "vertex " + v + " has label " + label + " of " + width + " classes");
      }
    }
    return null;
  }

  private static @Nullable Fault zerosAndOnes(Matrix values, int from, int to) {
    for (int v = from; v < to; v++) {
      for (int label = 0; label < values.cols(); label++) {
        float value = values.get(v, label);
        if (value != 0 && value != 1) {
          return new Fault(Names.LABELS, "vertex " + v + " has " + value + " for label " + label);
        }
      }
    }
    return null;
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
          throw check.fault(name, "value " + i + " is " + vertex + ", after " + previous);
        }
        if (partOf[vertex] != 0) {
          throw check.fault(name, "vertex " + vertex + " is also in another part");
        }
        if (classes != null && classes.getAtIndex(JAVA_INT, vertex) == ClassLabels.NONE) {
          throw check.fault(name, "vertex " + vertex + " has no label");
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
      check.run(
          vertices,
          VALUES,
          (from, to) -> {
            for (long v = from; v < to; v++) {
              int part = parts.getAtIndex(JAVA_INT, v);
              if (part < 0 || part >= count) {
                return new Fault(name, "vertex " + v + " is in part " + part + " of " + count);
              }
            }
            return null;
          });
    }
  }
}
