package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the graph that a {@link CommunityGraph} describes, in memory. */
final class CommunityGenerator {
  static final String NAME = "communities";

  private static final int ROWS_PER_TASK = 512;
  private static final Set<Arcs.Option> UNDIRECTED =
      EnumSet.of(Arcs.Option.SYMMETRISE, Arcs.Option.COALESCE);

  private final CommunityGraph settings;
  private final int vertices;
  private final CommunityLayout layout;

  CommunityGenerator(CommunityGraph settings) {
    this.settings = settings;
    this.vertices = settings.vertices();
    this.layout = new CommunityLayout(settings);
  }

  Graph generate(ThreadTeam team) {
    Memory memory = new Memory();
    try {
      int[] labels = new int[vertices];
      Arrays.setAll(labels, layout::labelOf);
      Csr in = arcs(memory);
      return Graph.builder(memory, NAME, in)
          .out(in)
          .features(features(memory, team))
          .labels(ClassLabels.of(memory, labels, settings.classes()))
          .split(CommunitySplit.of(settings, layout))
          .build();
    } catch (RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  private Csr arcs(Memory memory) {
    try (Memory scratch = new Memory()) {
      CommunityEdges edges = new CommunityEdges(settings, layout.begins());
      CommunityRounds rounds = new CommunityRounds(settings);
      Arcs arcs = Arcs.unweighted(scratch);
      for (long inside = 0, outside = 0; ; ) {
        rounds.begin(inside, outside);
        for (long i = 0; i < rounds.size(); i++) {
          rounds.draw(edges, i);
          arcs.add(layout.vertexAt(edges.from()), layout.vertexAt(edges.to()));
        }
        try (Memory built = new Memory()) {
          Csr csr = arcs.toCsr(built, vertices, UNDIRECTED);
          inside = inside(csr) / 2;
          outside = csr.arcs() / 2 - inside;
          if (rounds.enough(inside, outside)) {
            return copy(memory, csr);
          }
        }
      }
    }
  }

  private long inside(Csr csr) {
    long count = 0;
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < end; arc++) {
        count += layout.communityOf(csr.id(arc)) == layout.communityOf(row) ? 1 : 0;
      }
    }
    return count;
  }

  private static Csr copy(Memory memory, Csr csr) {
    long offsetBytes = (csr.rows() + 1L) * Long.BYTES;
    long idBytes = csr.arcs() * Integer.BYTES;
    MemorySegment offsets = memory.allocate(offsetBytes);
    MemorySegment ids = memory.allocate(idBytes);
    MemorySegment.copy(csr.offsets(), 0, offsets, 0, offsetBytes);
    MemorySegment.copy(csr.ids(), 0, ids, 0, idBytes);
    return Csr.of(csr.rows(), csr.cols(), offsets, ids);
  }

  private @Nullable Features features(Memory memory, ThreadTeam team) {
    if (settings.width() == 0) {
      return null;
    }
    CommunityFeatures features = new CommunityFeatures(settings);
    if (settings.words() > 0) {
      return sparse(memory, features);
    }
    Matrix matrix = Matrix.allocate(memory, vertices, settings.width());
    team.run(
        (vertices + ROWS_PER_TASK - 1) / ROWS_PER_TASK,
        task -> {
          int end = Math.min(vertices, (task + 1) * ROWS_PER_TASK);
          for (int v = task * ROWS_PER_TASK; v < end; v++) {
            features.dense(v, layout.labelOf(v), matrix, v);
          }
        });
    return new DenseFeatures(matrix);
  }

  private SparseFeatures sparse(Memory memory, CommunityFeatures features) {
    int[] words = new int[settings.words()];
    CsrBuilder rows = new CsrBuilder(memory, vertices, settings.width());
    for (int v = 0; v < vertices; v++) {
      rows.count(v, features.words(v, layout.labelOf(v), words, 0));
    }
    rows.counted(true);
    for (int v = 0; v < vertices; v++) {
      int count = features.words(v, layout.labelOf(v), words, 0);
      for (int i = 0; i < count; i++) {
        rows.put(v, words[i], 1);
      }
    }
    return SparseFeatures.of(memory, rows.build());
  }
}
