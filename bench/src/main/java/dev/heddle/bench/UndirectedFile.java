package dev.heddle.bench;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Transpose;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A graph as METIS wants it: undirected, without loops or repetitions, in little-endian ints. */
final class UndirectedFile {
  private UndirectedFile() {}

  static void write(Graph graph, Path file) throws IOException {
    int n = graph.vertices();
    int[] offsets = new int[n + 1];
    int[] ids = new int[Math.toIntExact(2 * graph.arcs())];
    int end = 0;
    try (Memory memory = new Memory()) {
      Csr in = graph.in();
      Csr out = graph.out() == null ? Transpose.of(memory, in) : graph.out();
      for (int v = 0; v < n; v++) {
        int begin = end;
        end = copy(in, v, ids, end);
        end = in.equals(out) ? end : copy(out, v, ids, end);
        Arrays.sort(ids, begin, end);
        int distinct = begin;
        for (int i = begin; i < end; i++) {
          if (ids[i] != v && (i == begin || ids[i] != ids[i - 1])) {
            ids[distinct++] = ids[i];
          }
        }
        end = distinct;
        offsets[v + 1] = end;
      }
    }
    try (OutputStream to = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      write(to, n);
      write(to, end);
      for (int offset : offsets) {
        write(to, offset);
      }
      for (int i = 0; i < end; i++) {
        write(to, ids[i]);
      }
    }
  }

  private static int copy(Csr csr, int v, int[] ids, int at) {
    for (long arc = csr.offset(v), end = csr.offset(v + 1); arc < end; arc++) {
      ids[at++] = csr.id(arc);
    }
    return at;
  }

  private static void write(OutputStream to, int value) throws IOException {
    to.write(value);
    to.write(value >>> 8);
    to.write(value >>> 16);
    to.write(value >>> 24);
  }
}
