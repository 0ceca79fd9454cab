package dev.heddle.kernel;

/**
 * Attention and its gradients in double precision, arc by arc from the definition, with softmax's
 * full Jacobian.
 */
final class AttentionReference {
  /** How attention is run: projected is that of GATv2. */
  record Settings(boolean projected, float slope, float rate, long key) {}

  /** What it is run on, or one number for each of that; b is not looked at if projected. */
  static final class Operands {
    final double[][] x;
    final double[][] y;
    final double[] a;
    final double[] b;

    static Operands zeros(int sources, int destinations, int columns) {
      return new Operands(
          new double[sources][columns],
          new double[destinations][columns],
          new double[columns],
          new double[columns]);
    }

    Operands(double[][] x, double[][] y, double[] a, double[] b) {
      this.x = x;
      this.y = y;
      this.a = a;
      this.b = b;
    }
  }

  private final Csr in;
  private final Heads heads;
  private final Settings settings;
  private final double[][] x;
  private final double[][] y;
  private final double[] a;
  private final double[] b;

  /** What {@link #backward} adds to. */
  final Operands gradients;

  /** Sums of what these gradients are sums of, without signs: what float errors are in scale to. */
  final Operands sizes;

  AttentionReference(Csr in, Heads heads, Settings settings, Operands operands) {
    this.in = in;
    this.heads = heads;
    this.settings = settings;
    this.x = operands.x;
    this.y = operands.y;
    this.a = operands.a;
    this.b = operands.b;
    this.gradients = Operands.zeros(x.length, y.length, heads.columns());
    this.sizes = Operands.zeros(x.length, y.length, heads.columns());
  }

  double[][] forward() {
    double[][] out = new double[in.rows()][heads.columns()];
    for (int v = 0; v < in.rows(); v++) {
      for (int h = 0; h < heads.count(); h++) {
        double[] alpha = alpha(v, h);
        for (int i = 0; i < alpha.length; i++) {
          int u = in.id(in.offset(v) + i);
          for (int c = h * heads.width(); c < (h + 1) * heads.width(); c++) {
            out[v][c] += keep(u, v, h) * alpha[i] * x[u][c];
          }
        }
      }
    }
    return out;
  }

  void backward(double[][] g) {
    for (int v = 0; v < in.rows(); v++) {
      for (int h = 0; h < heads.count(); h++) {
        double[] alpha = alpha(v, h);
        double[] dAlpha = new double[alpha.length];
        double[] dSize = new double[alpha.length];
        double meanSize = 0;
        for (int i = 0; i < alpha.length; i++) {
          int u = in.id(in.offset(v) + i);
          double keep = keep(u, v, h);
          for (int c = h * heads.width(); c < (h + 1) * heads.width(); c++) {
            dAlpha[i] += keep * g[v][c] * x[u][c];
            dSize[i] += keep * Math.abs(g[v][c] * x[u][c]);
            gradients.x[u][c] += keep * alpha[i] * g[v][c];
            sizes.x[u][c] += keep * alpha[i] * Math.abs(g[v][c]);
          }
          meanSize += alpha[i] * dSize[i];
        }
        for (int i = 0; i < alpha.length; i++) {
          double dScore = 0;
          for (int j = 0; j < alpha.length; j++) {
            dScore += dAlpha[j] * alpha[j] * ((i == j ? 1 : 0) - alpha[i]);
          }
          int u = in.id(in.offset(v) + i);
          scoreBackward(u, v, h, dScore, alpha[i] * (dSize[i] + meanSize));
        }
      }
    }
  }

  private double[] alpha(int v, int h) {
    double[] alpha = new double[(int) in.degree(v)];
    double max = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < alpha.length; i++) {
      alpha[i] = score(in.id(in.offset(v) + i), v, h);
      max = Math.max(max, alpha[i]);
    }
    double sum = 0;
    for (int i = 0; i < alpha.length; i++) {
      alpha[i] = Math.exp(alpha[i] - max);
      sum += alpha[i];
    }
    for (int i = 0; i < alpha.length; i++) {
      alpha[i] /= sum;
    }
    return alpha;
  }

  private double score(int u, int v, int h) {
    double score = 0;
    for (int c = h * heads.width(); c < (h + 1) * heads.width(); c++) {
      score +=
          settings.projected ? a[c] * leaky(x[u][c] + y[v][c]) : a[c] * x[u][c] + b[c] * y[v][c];
    }
    return settings.projected ? score : leaky(score);
  }

  private void scoreBackward(int u, int v, int h, double dScore, double size) {
    double before = 0;
    for (int c = h * heads.width(); c < (h + 1) * heads.width(); c++) {
      before += a[c] * x[u][c] + b[c] * y[v][c];
    }
    for (int c = h * heads.width(); c < (h + 1) * heads.width(); c++) {
      double z = x[u][c] + y[v][c];
      double d = dScore * leakySlope(settings.projected ? z : before);
      gradients.x[u][c] += d * a[c];
      gradients.y[v][c] += d * (settings.projected ? a[c] : b[c]);
      gradients.a[c] += settings.projected ? d * z : d * x[u][c];
      gradients.b[c] += d * y[v][c];
      sizes.x[u][c] += size * Math.abs(a[c]);
      sizes.y[v][c] += size * Math.abs(settings.projected ? a[c] : b[c]);
      sizes.a[c] += size * (Math.abs(x[u][c]) + (settings.projected ? Math.abs(y[v][c]) : 0));
      sizes.b[c] += size * Math.abs(y[v][c]);
    }
  }

  private double leaky(double z) {
    return leakySlope(z) * z;
  }

  private double leakySlope(double z) {
    return z > 0 ? 1 : settings.slope;
  }

  private double keep(int u, int v, int h) {
    int draw = Draws.column((int) Draws.at(Draws.at(settings.key, v), u), h);
    boolean dropped = Integer.compareUnsigned(draw, Draws.dropThreshold(settings.rate)) < 0;
    return dropped ? 0 : 1 / (1 - (double) settings.rate);
  }
}
