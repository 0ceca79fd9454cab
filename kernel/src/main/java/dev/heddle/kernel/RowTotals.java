package dev.heddle.kernel;

/**
 * Sums over the rows of all workers, for what depends on all rows at once. All workers call the
 * same methods in the same order, and get the same bits.
 */
public interface RowTotals {
  /** There is nobody else. */
  RowTotals ALONE =
      new RowTotals() {
        @Override
        public Runnable of(Matrix sums) {
          return () -> {};
        }

        @Override
        public long rows(int own) {
          return own;
        }
      };

  /** A sum of a matrix over all workers, in place, made once and run again and again. */
  Runnable of(Matrix sums);

  /** Rows of all workers, of which {@code own} are this one's. */
  long rows(int own);
}
