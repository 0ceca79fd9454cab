package dev.heddle.graph;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * Makes the graph that a {@link CommunityGraph} describes.
 *
 * <p>Vertices are numbered community by community here; {@code ids} says what they are called in
 * the result.
 */
final class CommunityGenerator {
  /** What draws are for; each has keys of its own. The numbers never change. */
  enum Purpose {
    DEGREE(1),
    INSIDE(2),
    OUTSIDE(3),
    IDS(4),
    SPLIT(5),
    CENTRE(6),
    NOISE(7);

    private final int number;

    Purpose(int number) {
      this.number = number;
    }

    long key(CommunityGraph settings) {
      return Draws.key(Draws.Domain.GENERATE, settings.seed(), 0, 0, number);
    }
  }

  /** Edges are drawn in place of those drawn twice until this share is there. */
  private static final double ENOUGH = 0.99;

  private static final int MAX_ROUNDS = 16;
  private static final int ROWS_PER_TASK = 512;
  private static final Set<Arcs.Option> UNDIRECTED =
      EnumSet.of(Arcs.Option.SYMMETRISE, Arcs.Option.COALESCE);

  private final CommunityGraph settings;
  private final int vertices;
  private final int[] begins;
  private final int[] ids;

  /** The community of each vertex of the result. */
  private final int[] communities;

  CommunityGenerator(CommunityGraph settings) {
    this.settings = settings;
    this.vertices = settings.vertices();
    this.begins = new int[settings.communities() + 1];
    for (int c = 0; c < begins.length; c++) {
      begins[c] = (int) ((long) c * vertices / settings.communities());
    }
    this.ids = RandomOrder.of(vertices, Purpose.IDS.key(settings));
    if (!settings.shuffled()) {
      Arrays.setAll(ids, v -> v);
    }
    this.communities = new int[vertices];
    for (int c = 0; c + 1 < begins.length; c++) {
      for (int v = begins[c]; v < begins[c + 1]; v++) {
        communities[ids[v]] = c;
      }
    }
  }

  Graph generate(Workers workers) {
    Memory memory = new Memory();
    try {
      int[] labels = new int[vertices];
      Arrays.setAll(labels, v -> communities[v] % settings.classes());
      Csr in = arcs(memory);
      return Graph.builder(memory, "communities", in)
          .out(in)
          .features(settings.width() == 0 ? null : features(memory, labels, workers))
          .labels(ClassLabels.of(memory, labels, settings.classes()))
          .split(
              RandomSplit.of(
                  vertices, settings.train(), settings.valid(), Purpose.SPLIT.key(settings)))
          .build();
    } catch (RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  private Csr arcs(Memory memory) {
    long edges = Math.round(vertices * settings.averageDegree() / 2);
    long insideWanted = Math.round(settings.homophily() * edges);
    long outsideWanted = edges - insideWanted;
    try (Memory scratch = new Memory()) {
      CommunityEdges draws = new CommunityEdges(settings, begins);
      Arcs arcs = Arcs.unweighted(scratch);
      long insideDrawn = 0;
      long outsideDrawn = 0;
      long inside = 0;
      long outside = 0;
      for (int round = 1; ; round++) {
        // Of so many draws so many were new: as many more are needed for those that are missing.
        for (long end = needed(insideDrawn, inside, insideWanted); insideDrawn < end; ) {
          draws.drawInside(insideDrawn++);
          arcs.add(ids[draws.from()], ids[draws.to()]);
        }
        for (long end = needed(outsideDrawn, outside, outsideWanted); outsideDrawn < end; ) {
          draws.drawOutside(outsideDrawn++);
          arcs.add(ids[draws.from()], ids[draws.to()]);
        }
        try (Memory built = new Memory()) {
          Csr csr = arcs.toCsr(built, vertices, UNDIRECTED);
          inside = inside(csr) / 2;
          outside = csr.arcs() / 2 - inside;
          boolean enough = inside >= ENOUGH * insideWanted && outside >= ENOUGH * outsideWanted;
          if (enough || round == MAX_ROUNDS) {
            return copy(memory, csr);
          }
        }
      }
    }
  }

  private static long needed(long drawn, long found, long wanted) {
    return found == 0 ? wanted : drawn + (wanted - found);
  }

  private long inside(Csr csr) {
    long count = 0;
    for (int row = 0; row < csr.rows(); row++) {
      long end = csr.offset(row + 1);
      for (long arc = csr.offset(row); arc < end; arc++) {
        count += communities[csr.id(arc)] == communities[row] ? 1 : 0;
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

  private DenseFeatures features(Memory memory, int[] labels, Workers workers) {
    int width = settings.width();
    float[][] centres = new float[settings.classes()][width];
    long centreKey = Purpose.CENTRE.key(settings);
    // Scaled so that all features together have variance 1, whatever the noise.
    double scale = 1 / Math.sqrt(1 + settings.noise() * settings.noise());
    for (int label = 0; label < centres.length; label++) {
      for (int col = 0; col < width; col++) {
        centres[label][col] =
            (float) (scale * Draws.gaussian(centreKey, (long) label * width + col));
      }
    }
    Matrix matrix = Matrix.allocate(memory, vertices, width);
    long noiseKey = Purpose.NOISE.key(settings);
    double noise = scale * settings.noise();
    workers.run(
        (vertices + ROWS_PER_TASK - 1) / ROWS_PER_TASK,
        task -> {
          int end = Math.min(vertices, (task + 1) * ROWS_PER_TASK);
          for (int v = task * ROWS_PER_TASK; v < end; v++) {
            float[] centre = centres[labels[v]];
            for (int col = 0; col < width; col++) {
              double draw = Draws.gaussian(noiseKey, (long) v * width + col);
              matrix.set(v, col, (float) (centre[col] + noise * draw));
            }
          }
        });
    return new DenseFeatures(matrix);
  }
}
