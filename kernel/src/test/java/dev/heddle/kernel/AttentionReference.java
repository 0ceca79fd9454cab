package dev.heddle.kernel;

/**
 * Attention and its gradients in double precision, arc by arc from the definition, with softmax's
 * full Jacobian.
 */
final class AttentionReference {
  /** How attention is run: projected is that of GATv2. */
  record Settings(boolean projected, float slope, float rate, long key) {}

  /** What it is run on, in the shapes of the gradients; b is not looked at if projected. */
  static final class Operands {
    final double[][] x;
    final double[][] y;
    final double[] a;
    final double[] b;

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

  AttentionReference(Csr in, Heads heads, Settings settings, Operands operands) {
    this.in = in;
    this.heads = heads;
    this.settings = settings;
    this.x = operands.x;
    this.y = operands.y;
    this.a = operands.a;
    this.b = operands.b;
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

  Operands backward(double[][] g) {
    int columns = heads.columns();
    var gradients =
        new Operands(
            new double[x.length][columns],
            new double[y.length][columns],
            new double[columns],
            new double[columns]);
    for (int v = 0; v < in.rows(); v++) {
      for (int h = 0; h < heads.count(); h++) {
        double[] alpha = alpha(v, h);
        double[] dAlpha = new double[alpha.length];
        for (int i = 0; i < alpha.length; i++) {
          int u = in.id(in.offset(v) + i);
          for (int c = h * heads.width(); c < (h + 1) * heads.width(); c++) {
            dAlpha[i] += keep(u, v, h) * g[v][c] * x[u][c];
            gradients.x[u][c] += keep(u, v, h) * alpha[i] * g[v][c];
          }
        }
        for (int i = 0; i < alpha.length; i++) {
          double dScore = 0;
          for (int j = 0; j < alpha.length; j++) {
            dScore += dAlpha[j] * alpha[j] * ((i == j ? 1 : 0) - alpha[i]);
          }
          scoreBackward(in.id(in.offset(v) + i), v, h, dScore, gradients);
        }
      }
    }
    return gradients;
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

  private void scoreBackward(int u, int v, int h, double dScore, Operands gradients) {
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
