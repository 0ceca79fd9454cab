package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a folder of {@code edges.csv.gz} and, if they are there, features, labels and splits, each
 * of which is checked against the others.
 */
final class GraphFolder {
  /** Ids leave room for one past the last. */
  private static final int ANY_VERTEX = Integer.MAX_VALUE - 64;

  private GraphFolder() {}

  static Graph read(Path folder, ReadOptions options) {
    if (!Files.isDirectory(folder)) {
      throw new GraphFormatException(folder, "no such folder");
    }
    Memory memory = options.newMemory();
    try {
      return read(folder, options, memory);
    } catch (MemoryLimitException e) {
      memory.close();
      throw new GraphFormatException(folder, "too large: reading it " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  private static Graph read(Path folder, ReadOptions options, Memory memory) {
    Path labelFile = folder.resolve("labels.npy");
    Features features = FeatureFiles.read(folder, memory, options.rowNormalise());
    Labels labels = LabelFile.read(labelFile, memory);
    if (features != null && labels != null && features.rows() != labels.rows()) {
      throw new GraphFormatException(
          labelFile, labels.rows() + " labels, but features of " + features.rows() + " vertices");
    }
    int vertices = features != null ? features.rows() : labels != null ? labels.rows() : ANY_VERTEX;
    Csr in = arcs(folder, options, vertices, memory);
    Split split = SplitFiles.read(folder, in.rows(), options.split());
    requireLabels(folder, split, labels);
    return Graph.builder(memory, nameOf(folder), in)
        .out(!options.directed() && in.weights() == null ? in : null)
        .bothWays(!options.directed())
        .features(features)
        .featureSchema(FeatureSchema.UNNAMED.withScaling(options.scaling()))
        .labels(labels)
        .split(split)
        .build();
  }

  private static String nameOf(Path folder) {
    Path name = folder.toAbsolutePath().normalize().getFileName();
    return name == null ? "/" : name.toString();
  }

  private static Csr arcs(Path folder, ReadOptions options, int vertices, Memory memory) {
    Path zipped = folder.resolve("edges.csv.gz");
    Path plain = folder.resolve("edges.csv");
    Path file = Files.exists(plain) && !Files.exists(zipped) ? plain : zipped;
    Set<Arcs.Option> made =
        options.directed()
            ? EnumSet.noneOf(Arcs.Option.class)
            : EnumSet.of(Arcs.Option.SYMMETRISE, Arcs.Option.COALESCE);
    try (Memory scratch = memory.child()) {
      EdgeFile.Edges edges = EdgeFile.read(file, scratch, vertices);
      int count = vertices == ANY_VERTEX ? edges.vertices() : vertices;
      if (count == 0) {
        throw new GraphFormatException(file, "no vertices");
      }
      return edges.arcs().toCsr(memory, count, made);
    }
  }

  private static void requireLabels(Path folder, @Nullable Split split, @Nullable Labels labels) {
    if (split == null || !(labels instanceof ClassLabels classes)) {
      return;
    }
    for (int[] part : new int[][] {split.train(), split.valid(), split.test()}) {
      for (int vertex : part) {
        if (classes.at(vertex) == ClassLabels.NONE) {
          throw new GraphFormatException(
              folder.resolve("labels.npy"),
              "vertex " + vertex + " is in the split but has no label");
        }
      }
    }
  }
}
