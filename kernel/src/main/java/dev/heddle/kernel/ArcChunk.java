package dev.heddle.kernel;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What a thread knows about the few arcs of a row that it works on at once.
 *
 * <p>A row's arcs are taken in chunks, so that gathered rows are still in the first cache when they
 * are walked again and nothing needs room for all arcs. Every thread has a chunk for each division
 * into heads that it meets, and keeps them: layers of one model take turns. Values per head are
 * padded to whole vectors, {@link #stride} to an arc. Arrays, because compiled code takes far fewer
 * checks and steps to reach their single floats than those of a segment.
 */
final class ArcChunk {
  /** Arcs taken together. */
  static final int ARCS = 32;

  private static final ThreadLocal<Map<Heads, ArcChunk>> OF_THREAD =
      ThreadLocal.withInitial(HashMap::new);

  private final Heads heads;

  /** Floats per arc in the arrays of values per arc and head. */
  final int stride;

  /** Per arc and head: scores, then their gradients. */
  final float[] scores;

  /** Per arc and head: products of the rows at the arc's two ends. */
  final float[] dots;

  /** Per arc and head: what the gathered row is multiplied by. */
  final float[] weights;

  /** Per arc and head: what dropout multiplies a coefficient by. */
  final float[] keeps;

  /** Floats per arc in {@link #spread}. */
  final int spreadStride;

  /** Per arc and vector of the gathered row: the value of the vector's head. */
  final float[] spread;

  /** Per head: the largest score of the row so far. */
  final float[] max;

  /** Per head: a sum over the row's arcs so far. */
  final float[] sums;

  /** Per head: what earlier sums shrink by because the maximum has grown. */
  final float[] shrink;

  /** Per column: the sum of gradients over the row's arcs so far. */
  final float[] slopes;

  private boolean keepsAll;
  private int row;
  private long first;
  private int n;

  private ArcChunk(Heads heads) {
    this.heads = heads;
    stride = heads.stride();
    scores = new float[ARCS * stride];
    dots = new float[ARCS * stride];
    weights = new float[ARCS * stride];
    keeps = new float[ARCS * stride];
    // Enough for vectors of four floats, the shortest; a whole vector is read at the end.
    spreadStride = Matrix.strideOf((heads.columns() + 3) / 4);
    spread = new float[ARCS * spreadStride];
    max = new float[stride];
    sums = new float[stride];
    shrink = new float[stride];
    slopes = new float[Matrix.strideOf(heads.columns())];
  }

  /** The calling thread's chunk for some heads. */
  static ArcChunk ofThread(Heads heads) {
    return OF_THREAD.get().computeIfAbsent(heads, ArcChunk::new);
  }

  /** Begins a row, with no arcs seen. */
  void begin(int newRow) {
    row = newRow;
    n = 0;
    Arrays.fill(max, Float.NEGATIVE_INFINITY);
    Arrays.fill(sums, 0);
  }

  /** Begins a row's slopes, which only gradients have. */
  void beginSlopes() {
    Arrays.fill(slopes, 0);
  }

  /** Goes to the next arcs of the row: at most {@link #ARCS}, not beyond {@code end}. */
  void move(long newFirst, long end) {
    first = newFirst;
    n = (int) Math.min(ARCS, end - newFirst);
  }

  /** Dropout keeps all coefficients as they are. */
  void keepAll() {
    if (!keepsAll) {
      Arrays.fill(keeps, 1);
      keepsAll = true;
    }
  }

  /** The caller sets what dropout multiplies by. */
  void keepSome() {
    keepsAll = false;
  }

  /** Makes every column's slope the sum of its head, as it is without projection. */
  void spreadSums() {
    int width = heads.width();
    for (int h = 0; h < heads.count(); h++) {
      Arrays.fill(slopes, h * width, (h + 1) * width, sums[h]);
    }
  }

  Heads heads() {
    return heads;
  }

  int row() {
    return row;
  }

  /** The chunk's first arc. */
  long first() {
    return first;
  }

  /** How many arcs the chunk has. */
  int n() {
    return n;
  }
}
