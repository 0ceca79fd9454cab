package dev.heddle.graph;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The labels in a folder, {@code labels.npy}: integers of one dimension are classes, of two
 * dimensions labels that are 0 or 1; floats are values to regress.
 */
final class LabelFile {
  private LabelFile() {}

  /** The labels, or null if there is no such file. */
  static @Nullable Labels read(Path file, Memory memory) {
    if (!Files.exists(file)) {
      return null;
    }
    try (Arena arena = Arena.ofConfined()) {
      Npy npy = Npy.map(file, arena);
      if (npy.type().real) {
        return new RealLabels(
            npy.dimensions() == 1 ? column(npy, memory) : FeatureFiles.dense(npy, memory));
      }
      return npy.dimensions() == 1 ? classes(npy, memory) : multi(npy, memory);
    }
  }

  private static ClassLabels classes(Npy npy, Memory memory) {
    int rows = npy.intSize(0);
    MemorySegment values = memory.allocateInts(rows);
    int classes = 0;
    for (int v = 0; v < rows; v++) {
      long label = npy.longAt(v);
      if (label < ClassLabels.NONE || label >= rows) {
        throw npy.fault(
            "vertex "
                + v
                + " has label "
                + label
                + ": labels go from -1 (none) up and are fewer than vertices");
      }
      values.setAtIndex(JAVA_INT, v, (int) label);
      classes = Math.max(classes, (int) label + 1);
    }
    return new ClassLabels(values, rows, classes);
  }

  private static MultiLabels multi(Npy npy, Memory memory) {
    Matrix values = FeatureFiles.dense(npy, memory);
    for (int v = 0; v < values.rows(); v++) {
      for (int label = 0; label < values.cols(); label++) {
        float value = values.get(v, label);
        if (value != 0 && value != 1) {
          throw npy.fault(
              "vertex " + v + " has " + (long) value + " for label " + label + ", not 0 or 1");
        }
      }
    }
    return new MultiLabels(values);
  }

  private static Matrix column(Npy npy, Memory memory) {
    Matrix values = Matrix.allocate(memory, npy.intSize(0), 1);
    for (int v = 0; v < values.rows(); v++) {
      float value = npy.floatAt(v);
      if (!Float.isFinite(value)) {
        throw npy.fault("vertex " + v + " has value " + value);
      }
      values.set(v, 0, value);
    }
    return values;
  }
}
