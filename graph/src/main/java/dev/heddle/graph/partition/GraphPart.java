package dev.heddle.graph.partition;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.CsrBuilder;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What one worker has of a graph: its own vertices with all their in-arcs, features, labels and
 * split, and the names of its halo, the vertices of others that those arcs come from. The part of a
 * worker that is alone is the graph itself, nothing of it copied, with an empty halo.
 *
 * <p>Rows are the own vertices, first the central ones, all of whose in-arcs come from own
 * vertices, then the marginal ones, each ascending by their number in the whole graph; then the
 * halo by owner and number. Only rows of the part are read from the whole graph, so that of a
 * mapped store only they come into memory.
 */
public final class GraphPart {
  private final Memory memory;

  /** The vertex of each own row; null where rows are vertices, in the part that is the graph. */
  private final int @Nullable [] own;

  private final int vertices;
  private final int central;
  private final int[] halo;
  private final int[] haloOffsets;
  private final Csr in;
  private final @Nullable Features whole;
  private @Nullable Features features;
  private final @Nullable Labels labels;
  private final @Nullable Split split;

  private GraphPart(Graph graph) {
    memory = graph.memory();
    own = null;
    vertices = graph.vertices();
    central = vertices;
    halo = new int[0];
    haloOffsets = new int[2];
    in = graph.in();
    whole = graph.features();
    features = whole;
    labels = graph.labels();
    split = graph.split();
  }

  private GraphPart(Graph graph, int[] own, Memory memory, Neighbourhood around, Csr arcs) {
    this.memory = memory;
    this.own = own;
    vertices = own.length;
    central = around.central;
    halo = around.halo;
    haloOffsets = around.offsets;
    in = arcs;
    whole = graph.features();
    labels = labels(graph.labels(), own);
    split = split(graph.split());
  }

  /** The part that is the whole graph, where it lies. */
  public static GraphPart whole(Graph graph) {
    return new GraphPart(graph);
  }

  /**
   * The part of a worker.
   *
   * @param memory where the part lies
   */
  public static GraphPart of(Graph graph, Partition partition, int worker, Memory memory) {
    int[] own = partition.members(worker).clone();
    Neighbourhood around = Neighbourhood.of(graph.in(), partition, own);
    return new GraphPart(graph, own, memory, around, around.arcs(memory, graph.in(), own));
  }

  /**
   * What a worker scores that has no arcs to follow: its vertices, ascending, with features, labels
   * and split.
   */
  public static GraphPart withoutArcs(Graph graph, Partition partition, int worker, Memory memory) {
    int[] own = partition.members(worker).clone();
    int n = own.length;
    var alone = new Neighbourhood(new int[0], new int[0], new int[partition.parts() + 1], n);
    Csr none = Csr.of(n, n, memory.allocateLongs(n + 1L), memory.allocateInts(0));
    return new GraphPart(graph, own, memory, alone, none);
  }

  /** Bytes of memory that a part's arcs and labels take, the names of its rows aside. */
  public static long graphBytes(Graph graph, PartCounts counts) {
    int n = counts.vertices();
    return Csr.bytes(n, counts.arcs(), graph.in().weights() != null) + labelBytes(graph, n);
  }

  /** Bytes of memory that so many vertices {@link #withoutArcs} take, their features aside. */
  public static long outputBytes(Graph graph, int vertices) {
    return Csr.bytes(vertices, 0, /* weighted= */ false) + labelBytes(graph, vertices);
  }

  private static long labelBytes(Graph graph, int n) {
    return Memory.padded(
        switch (graph.labels()) {
          case null -> 0;
          case ClassLabels _ -> 4L * n;
          case MultiLabels(Matrix values) -> Matrix.bytes(n, values.cols());
          case RealLabels(Matrix values) -> Matrix.bytes(n, values.cols());
        });
  }

  /** Bytes of memory that a part's features take. */
  public static long featureBytes(Graph graph, PartCounts counts) {
    int n = counts.vertices();
    return switch (graph.features()) {
      case null -> 0;
      case DenseFeatures(Matrix matrix) -> Memory.padded(Matrix.bytes(n, matrix.cols()));
      case SparseFeatures sparse ->
          Csr.bytes(n, counts.featureValues(), true)
              + CsrBuilder.bytes(sparse.width(), counts.featureValues(), true);
    };
  }

  /** The vertices of other workers that arcs come from, by owner and number. */
  private static final class Neighbourhood {
    private static final int ABSENT = -1;

    private final int[] rowOf;
    private final int[] halo;
    private final int[] offsets;
    private final int central;

    private Neighbourhood(int[] rowOf, int[] halo, int[] offsets, int central) {
      this.central = central;
      this.rowOf = rowOf;
      this.halo = halo;
      this.offsets = offsets;
    }

    /** Looks around, and puts central vertices before marginal ones. */
    static Neighbourhood of(Csr in, Partition partition, int[] own) {
      int central = centralFirst(in, partition, own);
      // The only array as long as the whole graph's vertices; gone when the part is made.
      int[] rowOf = new int[in.rows()];
      Arrays.fill(rowOf, ABSENT);
      for (int row = 0; row < own.length; row++) {
        rowOf[own[row]] = row;
      }
      int[] offsets = new int[partition.parts() + 1];
      int[] found = new int[16];
      int count = 0;
      for (int vertex : own) {
        for (long arc = in.offset(vertex), end = in.offset(vertex + 1); arc < end; arc++) {
          int source = in.id(arc);
          if (rowOf[source] == ABSENT) {
            rowOf[source] = own.length;
            found = count < found.length ? found : Arrays.copyOf(found, 2 * count);
            found[count++] = source;
            offsets[partition.partOf(source) + 1]++;
          }
        }
      }
      for (int w = 0; w < partition.parts(); w++) {
        offsets[w + 1] += offsets[w];
      }
      Arrays.sort(found, 0, count);
      int[] next = Arrays.copyOf(offsets, partition.parts());
      int[] halo = new int[count];
      for (int i = 0; i < count; i++) {
        int at = next[partition.partOf(found[i])]++;
        halo[at] = found[i];
        rowOf[found[i]] = own.length + at;
      }
      return new Neighbourhood(rowOf, halo, offsets, central);
    }

    private static int centralFirst(Csr in, Partition partition, int[] own) {
      int[] marginal = new int[own.length];
      int central = 0;
      int others = 0;
      for (int vertex : own) {
        long arc = in.offset(vertex);
        long end = in.offset(vertex + 1);
        int worker = partition.partOf(vertex);
        while (arc < end && partition.partOf(in.id(arc)) == worker) {
          arc++;
        }
        if (arc == end) {
          own[central++] = vertex;
        } else {
          marginal[others++] = vertex;
        }
      }
      System.arraycopy(marginal, 0, own, central, others);
      return central;
    }

    /** The in-arcs of the own vertices, between rows of the part. */
    Csr arcs(Memory memory, Csr whole, int[] own) {
      MemorySegment offsets = memory.allocateLongs(own.length + 1L);
      long arcs = 0;
      for (int row = 0; row < own.length; row++) {
        arcs += whole.degree(own[row]);
        offsets.setAtIndex(JAVA_LONG, row + 1L, arcs);
      }
      MemorySegment ids = memory.allocateInts(arcs);
      MemorySegment weights = whole.weights() == null ? null : memory.allocateFloats(arcs);
      long at = 0;
      long[] keys = new long[16];
      for (int vertex : own) {
        long first = whole.offset(vertex);
        int n = Math.toIntExact(whole.degree(vertex));
        keys = n <= keys.length ? keys : new long[2 * n];
        for (int i = 0; i < n; i++) {
          keys[i] = (long) rowOf[whole.id(first + i)] << 32 | i;
        }
        Arrays.sort(keys, 0, n);
        for (int i = 0; i < n; i++, at++) {
          ids.setAtIndex(JAVA_INT, at, (int) (keys[i] >>> 32));
          if (weights != null) {
            weights.setAtIndex(JAVA_FLOAT, at, whole.weight(first + (int) keys[i]));
          }
        }
      }
      return Csr.of(own.length, own.length + halo.length, offsets, ids).withWeights(weights);
    }
  }

  private @Nullable Features features(int[] own) {
    return switch (whole) {
      case null -> null;
      case DenseFeatures(Matrix matrix) -> new DenseFeatures(rows(matrix, own));
      case SparseFeatures sparse -> SparseFeatures.of(memory, rows(sparse.byRow(), own));
    };
  }

  private @Nullable Labels labels(@Nullable Labels whole, int[] own) {
    return switch (whole) {
      case null -> null;
      case ClassLabels classes ->
          ClassLabels.of(memory, Arrays.stream(own).map(classes::at).toArray(), classes.classes());
      case MultiLabels(Matrix values) -> new MultiLabels(rows(values, own));
      case RealLabels(Matrix values) -> new RealLabels(rows(values, own));
    };
  }

  private @Nullable Split split(@Nullable Split whole) {
    return whole == null
        ? null
        : new Split(rows(whole.train()), rows(whole.valid()), rows(whole.test()));
  }

  private int[] rows(int[] vertices) {
    return Arrays.stream(vertices).map(this::rowOf).filter(row -> row >= 0).sorted().toArray();
  }

  private Matrix rows(Matrix whole, int[] own) {
    Matrix part = Matrix.allocate(memory, own.length, whole.cols());
    long bytes = (long) whole.stride() * Float.BYTES;
    for (int row = 0; row < own.length; row++) {
      MemorySegment.copy(
          whole.data(), whole.offset(own[row]), part.data(), part.offset(row), bytes);
    }
    return part;
  }

  private Csr rows(Csr whole, int[] own) {
    MemorySegment offsets = memory.allocateLongs(own.length + 1L);
    long count = 0;
    for (int row = 0; row < own.length; row++) {
      count += whole.degree(own[row]);
      offsets.setAtIndex(JAVA_LONG, row + 1L, count);
    }
    MemorySegment ids = memory.allocateInts(count);
    MemorySegment values = memory.allocateFloats(count);
    long at = 0;
    for (int vertex : own) {
      for (long i = whole.offset(vertex), end = whole.offset(vertex + 1); i < end; i++, at++) {
        ids.setAtIndex(JAVA_INT, at, whole.id(i));
        values.setAtIndex(JAVA_FLOAT, at, whole.weight(i));
      }
    }
    return Csr.of(own.length, whole.cols(), offsets, ids).withWeights(values);
  }

  /** Own vertices. */
  public int vertices() {
    return vertices;
  }

  /** Own vertices that no arc from another worker's comes to: the first rows. */
  public int central() {
    return central;
  }

  /** Workers that the graph is cut among. */
  public int parts() {
    return haloOffsets.length - 1;
  }

  /** Own vertices and halo. */
  public int sources() {
    return vertices + halo.length;
  }

  /** The number in the whole graph of a row, own or halo. */
  public int vertex(int row) {
    return own == null ? row : row < vertices ? own[row] : halo[row - vertices];
  }

  /** The row of an own vertex by its number in the whole graph; negative if it is not here. */
  public int rowOf(int vertex) {
    if (own == null) {
      return vertex;
    }
    int row = Arrays.binarySearch(own, 0, central, vertex);
    return row >= 0 ? row : Arrays.binarySearch(own, central, vertices, vertex);
  }

  /** The first row of the halo that a worker has; those of the next worker follow. */
  public int firstHaloRow(int worker) {
    return vertices + haloOffsets[worker];
  }

  /** What all rows are called in the whole graph; null where that is what they are here. */
  public @Nullable RowIds ids() {
    if (own == null) {
      return null;
    }
    int[] all = Arrays.copyOf(own, sources());
    System.arraycopy(halo, 0, all, vertices, halo.length);
    return RowIds.of(memory, all);
  }

  /** In-arcs of the own vertices: {@code own × (own + halo)}. */
  public Csr in() {
    return in;
  }

  /** Those of own vertices, which are copied when they are first asked for. */
  public @Nullable Features features() {
    if (features == null && own != null) {
      features = features(own);
    }
    return features;
  }

  public @Nullable Labels labels() {
    return labels;
  }

  public @Nullable Split split() {
    return split;
  }
}
