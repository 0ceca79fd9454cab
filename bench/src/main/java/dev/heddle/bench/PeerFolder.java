package dev.heddle.bench;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Npy;
import dev.heddle.graph.NpyWriter;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A graph as the folder of NumPy arrays that all peers read: indptr and indices of in-arcs,
 * features (dense, or feat_indptr, feat_indices and feat_data), labels, train.
 */
final class PeerFolder {
  /** Training vertices of a benchmark of batches. */
  static final String SEEDS = "seeds.npy";

  private PeerFolder() {}

  /** All numbers of a file. */
  static int[] ints(Path file) {
    try (Arena arena = Arena.ofConfined()) {
      return ints(Npy.map(file, arena));
    }
  }

  static void write(Graph graph, Path folder) throws IOException {
    Files.createDirectories(folder);
    writeCsr(folder, "indptr", "indices", graph.in());
    switch (Objects.requireNonNull(graph.features())) {
      case DenseFeatures dense -> NpyWriter.write(folder.resolve("features.npy"), dense.matrix());
      case SparseFeatures sparse -> {
        Csr rows = sparse.byRow();
        writeCsr(folder, "feat_indptr", "feat_indices", rows);
        float[] values = new float[Math.toIntExact(rows.arcs())];
        for (int i = 0; i < values.length; i++) {
          values[i] = rows.weight(i);
        }
        NpyWriter.write(folder.resolve("feat_data.npy"), values);
      }
    }
    ClassLabels labels = (ClassLabels) Objects.requireNonNull(graph.labels());
    int[] classes = new int[graph.vertices()];
    for (int v = 0; v < classes.length; v++) {
      classes[v] = labels.at(v);
    }
    NpyWriter.write(folder.resolve("labels.npy"), classes);
    Split split = Objects.requireNonNull(graph.split());
    NpyWriter.write(folder.resolve("train.npy"), split.train());
  }

  private static void writeCsr(Path folder, String offsetsName, String idsName, Csr csr)
      throws IOException {
    int[] offsets = new int[csr.rows() + 1];
    for (int r = 0; r < offsets.length; r++) {
      offsets[r] = Math.toIntExact(csr.offset(r));
    }
    int[] ids = new int[offsets[csr.rows()]];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = csr.id(i);
    }
    NpyWriter.write(folder.resolve(offsetsName + ".npy"), offsets);
    NpyWriter.write(folder.resolve(idsName + ".npy"), ids);
  }

  static Graph read(Path folder) {
    Memory memory = new Memory();
    try (Arena arena = Arena.ofConfined()) {
      Npy labels = Npy.map(folder.resolve("labels.npy"), arena);
      int n = Math.toIntExact(labels.size());
      int[] classes = ints(labels);
      int count = 0;
      for (int c : classes) {
        count = Math.max(count, c + 1);
      }
      Csr in = csr(memory, arena, folder, new Names("indptr", "indices"), n);
      int[] train = ints(Npy.map(folder.resolve("train.npy"), arena));
      return Graph.builder(memory, folder.getFileName().toString(), in)
          .features(features(memory, arena, folder, n))
          .labels(ClassLabels.of(memory, classes, count))
          .split(new Split(train, new int[0], new int[0]))
          .build();
    }
  }

  private record Names(String offsets, String ids) {}

  private static Features features(Memory memory, Arena arena, Path folder, int n) {
    if (Files.exists(folder.resolve("features.npy"))) {
      Npy dense = Npy.map(folder.resolve("features.npy"), arena);
      Matrix matrix = Matrix.allocate(memory, n, Math.toIntExact(dense.size(1)));
      for (int row = 0; row < n; row++) {
        dense.copyRow(row, matrix);
      }
      return new DenseFeatures(matrix);
    }
    Names names = new Names("feat_indptr", "feat_indices");
    Npy ids = Npy.map(folder.resolve("feat_indices.npy"), arena);
    int width = 0;
    for (long i = 0; i < ids.size(); i++) {
      width = Math.max(width, (int) ids.longAt(i) + 1);
    }
    Csr rows = csr(memory, arena, folder, names, width);
    Npy data = Npy.map(folder.resolve("feat_data.npy"), arena);
    MemorySegment values = memory.allocateFloats(data.size());
    for (long i = 0; i < data.size(); i++) {
      values.setAtIndex(JAVA_FLOAT, i, data.floatAt(i));
    }
    return SparseFeatures.of(memory, rows.withWeights(values));
  }

  private static Csr csr(Memory memory, Arena arena, Path folder, Names names, int cols) {
    Npy starts = Npy.map(folder.resolve(names.offsets() + ".npy"), arena);
    Npy targets = Npy.map(folder.resolve(names.ids() + ".npy"), arena);
    MemorySegment offsets = memory.allocateLongs(starts.size());
    for (long i = 0; i < starts.size(); i++) {
      offsets.setAtIndex(JAVA_LONG, i, starts.longAt(i));
    }
    MemorySegment ids = memory.allocateInts(targets.size());
    for (long i = 0; i < targets.size(); i++) {
      ids.setAtIndex(JAVA_INT, i, (int) targets.longAt(i));
    }
    return Csr.of(Math.toIntExact(starts.size() - 1), cols, offsets, ids);
  }

  private static int[] ints(Npy array) {
    int[] values = new int[Math.toIntExact(array.size())];
    for (int i = 0; i < values.length; i++) {
      values[i] = (int) array.longAt(i);
    }
    return values;
  }
}
