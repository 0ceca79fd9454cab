package dev.heddle.kernel;

/**
 * Counter-based random numbers: every draw is a hash of what it is for, never the next of a stream.
 *
 * <p>A key names the purpose (domain, seed, epoch, batch, layer); a draw adds the global vertex id
 * and a column. Results are then the same for any number of threads or workers, any partitioning
 * and any batching.
 */
public final class Draws {
  /** What a draw is for; keys of different domains are independent. The numbers never change. */
  public enum Domain {
    INIT(1),
    DROPOUT(2),
    ATTENTION_DROPOUT(3),
    INPUT_DROPOUT(4),
    SHUFFLE(5),
    SAMPLE(6),
    GENERATE(7),
    QUANTISE(8),
    CACHE(9),
    PARTITION(10),
    CHUNKS(11),
    GRADIENTS(12);

    private final int number;

    Domain(int number) {
      this.number = number;
    }
  }

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private Draws() {}

  /** Stafford's variant 13 of the 64-bit finaliser: every input bit flips half of the output's. */
  public static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** The key of all draws of one layer in one batch of one epoch. */
  public static long key(Domain domain, long seed, long epoch, long batch, int layer) {
    return at(at(at(at(mix(seed + GOLDEN), domain.number), epoch), batch), layer);
  }

  /** The 64 random bits of one vertex, or of any other counter, under a key. */
  public static long at(long key, long counter) {
    return mix(key ^ mix(counter * GOLDEN + GOLDEN));
  }

  /** 32 random bits for a column of a row whose bits are {@code row = (int) at(key, vertex)}. */
  public static int column(int row, int column) {
    // SIMD kernels apply these operations to eight columns at once.
    int x = row + column * 0x9E3779B9;
    x = (x ^ (x >>> 16)) * 0x21F0AAAD;
    x = (x ^ (x >>> 15)) * 0x735A2D97;
    return x ^ (x >>> 15);
  }

  /** A float in [0, 1) from the upper 24 bits. */
  public static float unitFloat(long bits) {
    return (bits >>> 40) * 0x1p-24f;
  }

  /** A double in [0, 1) from the upper 53 bits. */
  public static double unitDouble(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }

  /** An int in [0, bound) by multiplication, without the bias that matters at these sizes. */
  public static int below(long bits, int bound) {
    return (int) (((bits >>> 32) * bound) >>> 32);
  }

  /** A standard normal draw (Box–Muller) from one counter. */
  public static double gaussian(long key, long counter) {
    long a = at(key, counter);
    double u = 1 - unitDouble(a);
    double v = unitDouble(mix(a + GOLDEN));
    return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
  }

  /**
   * How many of 2^32 column draws are dropped for a dropout rate: a draw below this is dropped.
   * Compared as unsigned ints.
   */
  public static int dropThreshold(float rate) {
    return (int) Math.min((long) (rate * 0x1p32), 0xFFFFFFFFL);
  }
}
