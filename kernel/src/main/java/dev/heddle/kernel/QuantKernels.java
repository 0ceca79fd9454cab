package dev.heddle.kernel;

/**
 * Inner loops of {@link QuantisedRows} over places {@code from} to {@code to} of its order, which
 * all have the same number of bits.
 */
interface QuantKernels {
  /** Rounds rows to their grids and writes them side by side. */
  void pack(QuantisedRows q, int bits, int from, int to);

  /** Writes what was packed to where the order says. */
  void unpack(QuantisedRows q, int bits, int from, int to);

  /** Adds what was packed to where the order says. */
  void add(QuantisedRows q, int bits, int from, int to);
}
