package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

/** The reference that {@link SimdRows} is tested against, and the fallback without SIMD. */
final class ScalarRows implements RowKernels {
  @Override
  public void epilogue(Epilogue e, int from, int to) {
    Matrix x = e.x();
    Matrix out = e.out();
    Matrix bias = e.bias();
    int rowBytes = Epilogue.rowBytes(x.cols());
    for (int row = from; row < to; row++) {
      int draw = e.draw(row);
      int bits = 0;
      for (int c = 0; c < x.cols(); c++) {
        float value = x.get(row, c) + (bias == null ? 0 : bias.get(0, c));
        boolean passes = true;
        if (e.activation() == Activation.RELU) {
          passes = !(value <= 0);
        } else if (e.activation() == Activation.ELU && value <= 0) {
          value = Exp.minusOne(value);
        }
        if (e.drops()) {
          passes &= Integer.compareUnsigned(Draws.column(draw, c), e.threshold()) >= 0;
        }
        out.set(row, c, passes ? value * e.scale() : 0);
        bits |= passes ? 1 << (c % Epilogue.GROUP) : 0;
        if (c % Epilogue.GROUP == Epilogue.GROUP - 1 || c == x.cols() - 1) {
          e.bits().set(JAVA_BYTE, (long) row * rowBytes + c / Epilogue.GROUP, (byte) bits);
          bits = 0;
        }
      }
    }
  }

  @Override
  public void epilogueBackward(Epilogue e, int from, int to) {
    Matrix grad = e.grad();
    Matrix inputGrad = e.x();
    Matrix out = e.out();
    int rowBytes = Epilogue.rowBytes(grad.cols());
    for (int row = from; row < to; row++) {
      for (int c = 0; c < grad.cols(); c++) {
        int bits = e.bits().get(JAVA_BYTE, (long) row * rowBytes + c / Epilogue.GROUP);
        boolean passes = (bits >> (c % Epilogue.GROUP) & 1) != 0;
        float value = passes ? grad.get(row, c) * e.scale() : 0;
        if (e.activation() == Activation.ELU && passes && out.get(row, c) < 0) {
          value *= out.get(row, c) / e.scale() + 1;
        }
        inputGrad.set(row, c, e.add() ? inputGrad.get(row, c) + value : value);
      }
    }
  }

  @Override
  public void layerNorm(LayerNorm n, int from, int to) {
    Matrix x = n.x();
    int cols = x.cols();
    for (int row = from; row < to; row++) {
      double sum = 0;
      for (int c = 0; c < cols; c++) {
        sum += x.get(row, c);
      }
      double mean = sum / cols;
      double squares = 0;
      for (int c = 0; c < cols; c++) {
        double d = x.get(row, c) - mean;
        squares += d * d;
      }
      float m = (float) mean;
      float r = (float) (1 / Math.sqrt(squares / cols + LayerNorm.EPSILON));
      n.statistics().setAtIndex(JAVA_FLOAT, 2L * row, m);
      n.statistics().setAtIndex(JAVA_FLOAT, 2L * row + 1, r);
      for (int c = 0; c < cols; c++) {
        float normal = (x.get(row, c) - m) * r;
        n.out().set(row, c, n.gamma().get(0, c) * normal + n.beta().get(0, c));
      }
    }
  }

  @Override
  public void layerNormBackward(LayerNorm n, int from, int to) {
    Matrix x = n.x();
    Matrix grad = n.out();
    Matrix target = n.inputGrad();
    int cols = x.cols();
    for (int row = from; row < to; row++) {
      float m = n.statistics().getAtIndex(JAVA_FLOAT, 2L * row);
      float r = n.statistics().getAtIndex(JAVA_FLOAT, 2L * row + 1);
      double sum = 0;
      double dot = 0;
      for (int c = 0; c < cols; c++) {
        float h = n.gamma().get(0, c) * grad.get(row, c);
        sum += h;
        dot += h * ((x.get(row, c) - m) * r);
      }
      float meanSum = (float) (sum / cols);
      float meanDot = (float) (dot / cols);
      for (int c = 0; c < cols; c++) {
        float h = n.gamma().get(0, c) * grad.get(row, c);
        float value = r * (h - meanSum - (x.get(row, c) - m) * r * meanDot);
        target.set(row, c, n.add() ? target.get(row, c) + value : value);
      }
    }
  }

  @Override
  public void layerNormGamma(LayerNorm n, int from, int to, Matrix out, int outRow) {
    for (int row = from; row < to; row++) {
      float m = n.statistics().getAtIndex(JAVA_FLOAT, 2L * row);
      float r = n.statistics().getAtIndex(JAVA_FLOAT, 2L * row + 1);
      for (int c = 0; c < out.cols(); c++) {
        float normal = (n.x().get(row, c) - m) * r;
        out.set(outRow, c, out.get(outRow, c) + n.out().get(row, c) * normal);
      }
    }
  }

  @Override
  public void combine(Combine k, int from, int to) {
    for (int row = from; row < to; row++) {
      for (int c = 0; c < k.out().cols(); c++) {
        // The output adds to itself only where there is no second operand.
        float rest =
            k.b() != 0 ? k.b() * k.y().get(row, c) : k.c() == 0 ? 0 : k.c() * k.out().get(row, c);
        float value = k.a() * k.x().get(row, c) + rest;
        k.out().set(row, c, value);
      }
    }
  }

  @Override
  public void scatter(RowScatter s, int from, int to) {
    for (int row = from; row < to; row++) {
      int at = s.ids().at(row);
      for (int c = 0; c < s.target().cols(); c++) {
        s.target().set(at, c, s.target().get(at, c) + s.factor() * s.source().get(row, c));
      }
    }
  }

  @Override
  public void affine(ColumnAffine k, int from, int to) {
    for (int row = from; row < to; row++) {
      for (int c = 0; c < k.out().cols(); c++) {
        float value =
            k.alpha().get(0, c) * k.x().get(row, c)
                + k.beta().get(0, c) * k.y().get(row, c)
                + k.gamma().get(0, c);
        k.out().set(row, c, k.add() ? k.out().get(row, c) + value : value);
      }
    }
  }

  @Override
  public double softmaxCrossEntropy(Matrix scores, int row, int label, float scale, Matrix grad) {
    int cols = scores.cols();
    float labelled = scores.get(row, label);
    float max = Float.NEGATIVE_INFINITY;
    for (int c = 0; c < cols; c++) {
      max = Math.max(max, scores.get(row, c));
    }
    double sum = 0;
    for (int c = 0; c < cols; c++) {
      sum += Math.exp(scores.get(row, c) - max);
    }
    for (int c = 0; c < cols; c++) {
      double share = Math.exp(scores.get(row, c) - max) / sum;
      grad.set(row, c, (float) (scale * (c == label ? share - 1 : share)));
    }
    return Math.log(sum) + max - labelled;
  }

  @Override
  public void narrow(Matrix x, HalfMatrix out, int from, int to) {
    for (int row = from; row < to; row++) {
      for (int c = 0; c < x.cols(); c++) {
        out.set(row, c, x.get(row, c));
      }
    }
  }

  @Override
  public void widen(HalfMatrix x, int row, Matrix out, int outRow) {
    for (int c = 0; c < x.cols(); c++) {
      out.set(outRow, c, x.get(row, c));
    }
  }
}
