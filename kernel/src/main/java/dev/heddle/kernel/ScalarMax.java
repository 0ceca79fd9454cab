package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

/** The reference that {@link SimdMax} is tested against, and the fallback without SIMD. */
final class ScalarMax implements MaxKernels {
  @Override
  public void max(MaxGather g, int from, int to) {
    Csr arcs = g.in();
    Matrix x = g.from();
    for (int row = from; row < to; row++) {
      long first = arcs.offset(row);
      long end = arcs.offset(row + 1);
      for (int c = 0; c < g.to().cols(); c++) {
        int winner = first < end ? arcs.id(first) : -1;
        float max = winner < 0 ? 0 : x.get(winner, c);
        for (long arc = first + 1; arc < end; arc++) {
          float value = x.get(arcs.id(arc), c);
          if (value > max) {
            max = value;
            winner = arcs.id(arc);
          }
        }
        g.to().set(row, c, max);
        g.winners().set(JAVA_INT, g.to().offset(row) + (long) c * Integer.BYTES, winner);
      }
    }
  }

  @Override
  public void gradient(MaxGather g, int from, int to) {
    Csr arcs = g.out();
    Matrix gradient = g.from();
    for (int row = from; row < to; row++) {
      for (int c = 0; c < g.to().cols(); c++) {
        float sum = g.add() ? g.to().get(row, c) : 0;
        int previous = -1;
        for (long arc = arcs.offset(row); arc < arcs.offset(row + 1); arc++) {
          int id = arcs.id(arc);
          long winnerAt = gradient.offset(id) + (long) c * Integer.BYTES;
          if (id != previous && g.winners().get(JAVA_INT, winnerAt) == row) {
            sum += gradient.get(id, c);
          }
          previous = id;
        }
        g.to().set(row, c, sum);
      }
    }
  }
}
