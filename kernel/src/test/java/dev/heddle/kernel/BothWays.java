package dev.heddle.kernel;

/**
 * Arcs in both directions.
 *
 * @param in per destination its sources
 * @param out per source its destinations
 */
record BothWays(Csr in, Csr out) {
  static BothWays of(Memory memory, Csr in) {
    int[] degrees = new int[in.cols()];
    for (long arc = 0; arc < in.arcs(); arc++) {
      degrees[in.id(arc)]++;
    }
    int[][] columns = new int[in.cols()][];
    for (int u = 0; u < columns.length; u++) {
      columns[u] = new int[degrees[u]];
    }
    for (int v = in.rows() - 1; v >= 0; v--) {
      for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
        int u = in.id(arc);
        columns[u][--degrees[u]] = v;
      }
    }
    return new BothWays(in, Csr.of(memory, in.rows(), columns));
  }
}
