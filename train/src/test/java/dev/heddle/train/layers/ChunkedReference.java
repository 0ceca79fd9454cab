package dev.heddle.train.layers;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * GCN by dense matrices in double precision, forward and backward over chunks as GNNPipe (arXiv
 * 2308.10087) does it: {@code H_l = relu(Z_l W_l + b_l)}, without relu in the last layer, {@code
 * Z_l = Â H_(l-1)}. Features are aggregated exactly; rows of {@code H} come from history where
 * their chunk has not gone forward.
 */
final class ChunkedReference {
  private final double[][] adjacency;
  private final double[][] features;
  private final int[] classes;
  private final int[] train;
  private final int[] chunkOf;

  /**
   * A reference on a graph.
   *
   * @param chunkOf of each vertex
   */
  ChunkedReference(Graph graph, int[] chunkOf) {
    this.chunkOf = chunkOf;
    int n = graph.vertices();
    adjacency = new double[n][n];
    try (Memory memory = new Memory()) {
      Csr in = SelfLoops.added(memory, graph.in());
      for (int v = 0; v < n; v++) {
        for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
          int u = in.id(arc);
          adjacency[v][u] += 1 / Math.sqrt((double) in.degree(v) * in.degree(u));
        }
      }
    }
    Matrix x = ((DenseFeatures) Objects.requireNonNull(graph.features())).matrix();
    features = new double[n][];
    Arrays.setAll(features, v -> doubles(x.toArray()[v]));
    ClassLabels labels = (ClassLabels) Objects.requireNonNull(graph.labels());
    classes = new int[n];
    Arrays.setAll(classes, labels::at);
    train = Objects.requireNonNull(graph.split()).train();
  }

  private static double[] doubles(float[] values) {
    double[] result = new double[values.length];
    Arrays.setAll(result, i -> values[i]);
    return result;
  }

  /** Weights and biases of each layer. */
  @SuppressWarnings("ArrayRecordComponent") // Numbers that loops read and write.
  record Weights(double[][][] w, double[][] b) {
    int layers() {
      return w.length;
    }

    /** From the parameters of a GCN, in their order. */
    static Weights of(List<float[][]> parameters) {
      int layers = parameters.size() / 2;
      double[][][] w = new double[layers][][];
      double[][] b = new double[layers][];
      for (int l = 0; l < layers; l++) {
        w[l] = Arrays.stream(parameters.get(2 * l)).map(r -> doubles(r)).toArray(double[][]::new);
        b[l] = doubles(parameters.get(2 * l + 1)[0]);
      }
      return new Weights(w, b);
    }

    Weights zeros() {
      double[][][] w0 = new double[w.length][][];
      double[][] b0 = new double[w.length][];
      for (int l = 0; l < w.length; l++) {
        w0[l] = new double[w[l].length][w[l][0].length];
        b0[l] = new double[b[l].length];
      }
      return new Weights(w0, b0);
    }
  }

  /** What a forward made: {@code z[l]} is what layer l multiplies, {@code h[l]} what it gives. */
  @SuppressWarnings("ArrayRecordComponent") // Numbers that loops read and write.
  record Forward(double[][][] z, double[][][] h) {}

  /** All vertices at once. */
  static final int[] ALL = {-1};

  /** The exact forward: every row is that of this forward. */
  Forward exact(Weights weights) {
    return forward(weights, ALL, new double[0][][]);
  }

  private boolean isOf(int vertex, int chunk) {
    return chunk < 0 || chunkOf[vertex] == chunk;
  }

  /**
   * Goes forward chunk by chunk.
   *
   * @param history rows of each layer but the last
   */
  Forward forward(Weights weights, int[] order, double[][][] history) {
    int n = features.length;
    int layers = weights.layers();
    double[][][] z = new double[layers][n][];
    double[][][] h = new double[layers][n][];
    double[][][] seen = new double[layers][n][];
    for (int l = 0; l < history.length; l++) {
      seen[l] = history[l].clone();
    }
    for (int chunk : order) {
      for (int l = 0; l < layers; l++) {
        for (int v = 0; v < n; v++) {
          if (isOf(v, chunk)) {
            z[l][v] = aggregated(v, l == 0 ? features : seen[l - 1], weights.w[l].length);
            h[l][v] = mapped(z[l][v], weights, l);
          }
        }
        for (int v = 0; v < n; v++) {
          seen[l][v] = isOf(v, chunk) ? h[l][v] : seen[l][v];
        }
      }
    }
    return new Forward(z, h);
  }

  private double[] aggregated(int v, double[][] x, int cols) {
    double[] sum = new double[cols];
    for (int u = 0; u < x.length; u++) {
      for (int c = 0; c < cols && adjacency[v][u] != 0; c++) {
        sum[c] += adjacency[v][u] * x[u][c];
      }
    }
    return sum;
  }

  private static double[] mapped(double[] z, Weights weights, int l) {
    double[] h = weights.b[l].clone();
    for (int c = 0; c < h.length; c++) {
      for (int r = 0; r < z.length; r++) {
        h[c] += z[r] * weights.w[l][r][c];
      }
      h[c] = l + 1 < weights.layers() ? Math.max(0, h[c]) : h[c];
    }
    return h;
  }

  /** Cross-entropy over training vertices, divided by their number. */
  double loss(Forward made) {
    double sum = 0;
    for (int v : train) {
      sum -= Math.log(softmax(made.h[made.h.length - 1][v])[classes[v]]);
    }
    return sum / train.length;
  }

  private static double[] softmax(double[] scores) {
    double highest = Arrays.stream(scores).max().orElse(0);
    double[] e = Arrays.stream(scores).map(s -> Math.exp(s - highest)).toArray();
    double sum = Arrays.stream(e).sum();
    return Arrays.stream(e).map(x -> x / sum).toArray();
  }

  /**
   * Goes back chunk by chunk: {@code gX[c] = A[c,c]ᵀ gZ[c] + s Σ A[d,c]ᵀ gZ[d]} over chunks d that
   * went back before, the ones after c in the order.
   *
   * @param factor s
   */
  Weights backward(Weights weights, Forward made, int[] order, double factor) {
    int n = features.length;
    int layers = weights.layers();
    Weights gradients = weights.zeros();
    double[][][] gz = new double[layers][n][];
    boolean[] back = new boolean[n];
    for (int i = order.length - 1; i >= 0; i--) {
      int chunk = order[i];
      double[][] gh = ofLoss(made.h[layers - 1], chunk);
      for (int l = layers - 1; l >= 0; l--) {
        for (int v = 0; v < n; v++) {
          if (isOf(v, chunk)) {
            gz[l][v] = throughMap(gh[v], made, v, l, weights, gradients);
          }
        }
        double[][] next = new double[n][];
        for (int u = 0; u < n && l > 0; u++) {
          if (isOf(u, chunk)) {
            next[u] = new double[weights.w[l].length];
            for (int v = 0; v < n; v++) {
              double s = isOf(v, chunk) ? 1 : back[v] ? factor : 0;
              for (int c = 0; c < next[u].length && s * adjacency[v][u] != 0; c++) {
                next[u][c] += s * adjacency[v][u] * gz[l][v][c];
              }
            }
          }
        }
        gh = next;
      }
      for (int v = 0; v < n; v++) {
        back[v] |= isOf(v, chunk);
      }
    }
    return gradients;
  }

  private double[][] ofLoss(double[][] scores, int chunk) {
    double[][] gradient = new double[scores.length][];
    for (int v = 0; v < scores.length; v++) {
      gradient[v] = isOf(v, chunk) ? new double[scores[v].length] : null;
    }
    for (int v : train) {
      if (isOf(v, chunk)) {
        gradient[v] = softmax(scores[v]);
        gradient[v][classes[v]] -= 1;
        for (int c = 0; c < gradient[v].length; c++) {
          gradient[v][c] /= train.length;
        }
      }
    }
    return gradient;
  }

  /** Adds to the layer's own gradients and returns that of what it multiplied. */
  private static double[] throughMap(
      double[] g, Forward made, int v, int l, Weights weights, Weights gradients) {
    double[] gz = new double[weights.w[l].length];
    for (int c = 0; c < g.length; c++) {
      if (l + 1 < weights.layers() && made.h[l][v][c] <= 0) {
        continue;
      }
      gradients.b[l][c] += g[c];
      for (int r = 0; r < gz.length; r++) {
        gradients.w[l][r][c] += made.z[l][v][r] * g[c];
        gz[r] += g[c] * weights.w[l][r][c];
      }
    }
    return gz;
  }
}
