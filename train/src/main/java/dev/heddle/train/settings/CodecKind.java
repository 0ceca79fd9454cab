package dev.heddle.train.settings;

/**
 * At how many bits rows of a halo and their gradients travel while training, or in batches the
 * features that are fetched; evaluation sends rows as they are.
 */
public enum CodecKind {
  FP32("fp32", 32),
  BITS2("bits2", 2),
  BITS4("bits4", 4),
  BITS8("bits8", 8),
  /** Every row at a width of its own, chosen anew every period; 8 until the first choice. */
  ADAPTIVE("adaptive", 8),
  /** Every row at a width that is drawn anew every period; 8 until the first draw. */
  RANDOM("random", 8);

  private final String label;
  private final int bits;

  CodecKind(String label, int bits) {
    this.label = label;
    this.bits = bits;
  }

  /** The name users write. */
  public String label() {
    return label;
  }

  /** Whether rows are rounded. */
  public boolean rounds() {
    return bits < 32;
  }

  /** Whether rows have widths of their own. */
  public boolean chooses() {
    return this == ADAPTIVE || this == RANDOM;
  }

  /** Bits of an element, to begin with. */
  public int bits() {
    return bits;
  }

  /** Bytes of a row on the wire; where every row has its own width, of one of four bits. */
  public long rowBytes(int cols) {
    int expected = chooses() ? 4 : bits;
    return rounds() ? 4 + Math.ceilDiv((long) cols * expected, 8) : 4L * cols;
  }

  @Override
  public String toString() {
    return label;
  }
}
