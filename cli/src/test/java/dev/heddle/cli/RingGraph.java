package dev.heddle.cli;

import dev.heddle.graph.NpyWriter;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** A folder with two rings of vertices; a vertex's feature says which ring it is on. */
final class RingGraph {
  private RingGraph() {}

  static Path write(Path folder, int vertices) throws IOException {
    return write(folder, vertices, 2);
  }

  static Path write(Path folder, int vertices, int width) throws IOException {
    Files.createDirectories(folder);
    StringBuilder edges = new StringBuilder("src,dst\n");
    float[][] features = new float[vertices][width];
    int[] labels = new int[vertices];
    for (int v = 0; v < vertices; v++) {
      edges.append(v).append(',').append((v + 2) % vertices).append('\n');
      labels[v] = v % 2;
      features[v][v % 2] = 1;
    }
    Files.writeString(folder.resolve("edges.csv"), edges);
    try (var memory = new Memory()) {
      NpyWriter.write(folder.resolve("features.npy"), Matrix.of(memory, features));
    }
    NpyWriter.write(folder.resolve("labels.npy"), labels);
    ids(folder.resolve("train.txt"), 0, vertices / 2);
    ids(folder.resolve("valid.txt"), vertices / 2, vertices * 3 / 4);
    ids(folder.resolve("test.txt"), vertices * 3 / 4, vertices);
    return folder;
  }

  static void ids(Path file, int from, int to) throws IOException {
    List<String> ids = IntStream.range(from, to).mapToObj(Integer::toString).toList();
    Files.write(file, ids);
  }
}
