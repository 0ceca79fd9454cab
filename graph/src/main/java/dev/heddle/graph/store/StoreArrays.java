package dev.heddle.graph.store;

import dev.heddle.graph.ArcTypes;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The arrays of a store, mapped as they are asked for. */
final class StoreArrays {
  private final Path folder;
  private final Map<String, ArrayEntry> entries;
  private final Memory memory;

  StoreArrays(Path folder, Map<String, ArrayEntry> entries, Memory memory) {
    this.folder = folder;
    this.entries = entries;
    this.memory = memory;
  }

  boolean has(String name) {
    return entries.containsKey(name);
  }

  long rows(String name) {
    return entry(name).shape().rows();
  }

  MemorySegment vector(String name) {
    return entry(name).map(folder, memory);
  }

  Matrix matrix(String name) {
    ArrayShape shape = entry(name).shape();
    return Matrix.over(vector(name), (int) shape.rows(), shape.columns());
  }

  Csr csr(String prefix, int cols) {
    int rows = (int) rows(prefix + Names.OFFSETS) - 1;
    Csr csr = Csr.of(rows, cols, vector(prefix + Names.OFFSETS), vector(prefix + Names.IDS));
    return csr.withWeights(optional(prefix + Names.WEIGHTS));
  }

  /** What arcs by destination stand for, where they have types. */
  @Nullable ArcTypes arcTypes(Manifest manifest) {
    String name = Names.IN + Names.TYPES;
    return has(name) ? new ArcTypes(vector(name), rows(name), manifest.arcTypes()) : null;
  }

  private @Nullable MemorySegment optional(String name) {
    return has(name) ? vector(name) : null;
  }

  private ArrayEntry entry(String name) {
    ArrayEntry entry = entries.get(name);
    if (entry == null) {
      throw new IllegalStateException("there is no array " + name);
    }
    return entry;
  }
}
