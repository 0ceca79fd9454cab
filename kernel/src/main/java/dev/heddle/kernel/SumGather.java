package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Fused aggregation: {@code out[v] = scale[v] · Σ_{u ∈ arcs[v]} c(u→v) · x[u]}, or added to what
 * {@code out} holds.
 *
 * <p>This one kernel is sum, mean and symmetric normalisation, the backward of each (over the
 * transposed arcs with the two scalings swapped), and products with sparse features. The rows
 * gathered are never materialised. Reused from run to run, it allocates nothing.
 */
public final class SumGather {
  private final Csr arcs;
  private final Coefficients coefficients;
  private final @Nullable MemorySegment rowScale;
  private final Matrix partials;
  private final @Nullable SourceOrder order;
  private final @Nullable SumGather whole;
  private final int firstRow;

  private final Task task = this::run;
  private final Task combineTask = this::combine;

  private MemorySegment x = MemorySegment.NULL;
  private boolean half;
  private Matrix out;
  private int sources;
  private boolean accumulate;
  private boolean hubsApart;

  private SumGather(
      Csr arcs,
      Coefficients coefficients,
      @Nullable MemorySegment rowScale,
      Matrix partials,
      @Nullable SourceOrder order,
      @Nullable Slice slice) {
    this.order = order;
    this.whole = slice == null ? null : slice.of();
    this.firstRow = slice == null ? 0 : slice.firstRow();
    this.arcs = arcs;
    this.coefficients = coefficients;
    this.rowScale = rowScale;
    this.partials = partials;
    this.out = partials;
  }

  /** Some rows of an aggregation, from one on. */
  private record Slice(SumGather of, int firstRow) {}

  /**
   * An aggregation over arcs.
   *
   * @param rowScale floats by which finished rows are multiplied, one per row; none for 1
   * @param partials scratch for hubs: {@link ArcTasks#MAX_SEGMENTS} rows as wide as the output
   */
  public static SumGather over(
      Csr arcs, Coefficients coefficients, @Nullable MemorySegment rowScale, Matrix partials) {
    return new SumGather(arcs, coefficients, rowScale, partials, null, null);
  }

  /**
   * The same aggregation, to the bit, that goes through float32 sources in their order where they
   * exceed memory; null for gathering them in any case.
   */
  public SumGather through(@Nullable SourceOrder sourceOrder) {
    return new SumGather(arcs, coefficients, rowScale, partials, sourceOrder, null);
  }

  /** Whether rows of a matrix are gone through in their order. */
  boolean goesThrough(Matrix source) {
    return order != null && order.pays(source.offset(source.rows()));
  }

  /** A gather of rows {@code from} to {@code to} (exclusive) alone, at their places in targets. */
  public SumGather slice(int from, int to) {
    MemorySegment scale = rowScale == null ? null : rowScale.asSlice(4L * from, 4L * (to - from));
    Slice slice = new Slice(whole == null ? this : whole, firstRow + from);
    return new SumGather(arcs.slice(from, to), coefficients, scale, partials, null, slice);
  }

  /** Gathers rows of {@code source} into {@code target}, or adds them to it. */
  public void run(ThreadTeam team, Matrix source, Matrix target, boolean add) {
    start(team, source.data(), false, target, add);
  }

  /** Gathers from rows stored in half width. */
  public void run(ThreadTeam team, HalfMatrix source, Matrix target, boolean add) {
    start(team, source.data(), true, target, add);
  }

  private void start(
      ThreadTeam team, MemorySegment source, boolean isHalf, Matrix target, boolean add) {
    x = source;
    half = isHalf;
    out = target;
    accumulate = add;
    hubsApart = false;
    check();
    ArcTasks tasks = arcs.tasks();
    if (order != null && !half && order.pays(sources * sourceStride())) {
      order.run(team, this);
    } else {
      team.run(tasks.segments() + tasks.ranges(), task);
    }
    team.run(tasks.hubs(), combineTask);
  }

  /**
   * Readies {@link #block}: from now on rows of {@code source} are gathered, and what all threads
   * have to sum together is summed at once.
   *
   * @param hubRows takes the sums of hubs, of which there are at most {@link ArcTasks#MAX_HUBS}
   */
  void startBlocks(ThreadTeam team, Matrix source, Matrix hubRows) {
    startBlocks(team, source.data(), false, hubRows);
  }

  /** Gathers from rows stored in half width. */
  void startBlocks(ThreadTeam team, HalfMatrix source, Matrix hubRows) {
    startBlocks(team, source.data(), true, hubRows);
  }

  private void startBlocks(ThreadTeam team, MemorySegment source, boolean isHalf, Matrix hubRows) {
    x = source;
    half = isHalf;
    out = hubRows;
    accumulate = false;
    hubsApart = true;
    check();
    ArcTasks tasks = arcs.tasks();
    team.run(tasks.segments(), task);
    team.run(tasks.hubs(), combineTask);
  }

  /** What inner loops rely on, since they do not look again. */
  private void check() {
    MemorySegment values = coefficients.values();
    RawMemory.require(x);
    RawMemory.require(arcs.ids());
    RawMemory.require(values);
    long rows = x.byteSize() / sourceStride();
    long known = coefficients.perArc() ? rows : Math.min(rows, values.byteSize() / Float.BYTES);
    sources = (int) Math.min(known, Integer.MAX_VALUE);
  }

  /**
   * Gathers rows {@code from} to {@code to} (exclusive) into rows of {@code target} from one on.
   */
  void block(int from, int to, Matrix target, int targetRow) {
    ArcTasks tasks = arcs.tasks();
    int hub = tasks.firstHubFrom(from);
    for (int row = from; row < to; hub++) {
      int end = hub < tasks.hubs() ? Math.min(to, tasks.hub(hub)) : to;
      Kernels.gather().sum(this, row, end, target, targetRow + row - from);
      if (end < to) {
        long bytes = (long) out.stride() * Float.BYTES;
        long at = target.offset(targetRow + end - from);
        MemorySegment.copy(out.data(), out.offset(hub), target.data(), at, bytes);
      }
      row = end + 1;
    }
  }

  private void run(int index) {
    ArcTasks tasks = arcs.tasks();
    GatherKernels kernels = Kernels.gather();
    if (index >= tasks.segments()) {
      int range = index - tasks.segments();
      int first = tasks.firstRow(range);
      kernels.sum(this, first, tasks.endRow(range), out, firstRow + first);
      return;
    }
    kernels.sumArcs(this, firstArc(index), endArc(index), partials.offset(index));
  }

  /** Where the arcs of a hub's segment begin. */
  long firstArc(int segment) {
    ArcTasks tasks = arcs.tasks();
    int hub = tasks.hubOf(segment);
    return arcs.offset(tasks.hub(hub)) + (segment - tasks.firstSegment(hub)) * tasks.segmentArcs();
  }

  /** Where they end. */
  long endArc(int segment) {
    ArcTasks tasks = arcs.tasks();
    long end = arcs.offset(tasks.hub(tasks.hubOf(segment)) + 1);
    return Math.min(end, firstArc(segment) + tasks.segmentArcs());
  }

  private void combine(int hub) {
    ArcTasks tasks = arcs.tasks();
    int row = tasks.hub(hub);
    int to = hubsApart ? hub : firstRow + row;
    float scale = rowScale(row);
    for (int c = 0; c < out.cols(); c++) {
      float sum = 0;
      for (int s = tasks.firstSegment(hub); s < tasks.firstSegment(hub + 1); s++) {
        sum += partials.get(s, c);
      }
      out.set(to, c, (accumulate ? out.get(to, c) : 0) + scale * sum);
    }
  }

  Csr arcs() {
    return arcs;
  }

  /** Rows that this makes now, or the aggregation of which it is a slice. */
  int allRows() {
    return whole == null ? arcs.rows() : whole.arcs.rows();
  }

  /** The row of a target that the first row of the arcs makes. */
  int firstRow() {
    return firstRow;
  }

  Coefficients coefficients() {
    return coefficients;
  }

  /** Rows that arcs may name: those that there are, with their coefficients. */
  int sources() {
    return sources;
  }

  /** Where the arcs of a row end, which is from {@code begin} to {@code last} in any case. */
  long endOf(int row, long begin, long last) {
    return Math.max(begin, Math.min(last, arcs.offset(row + 1)));
  }

  float rowScale(int row) {
    return rowScale == null ? 1 : rowScale.getAtIndex(JAVA_FLOAT, row);
  }

  Matrix partials() {
    return partials;
  }

  /** Rows of float32, or of bfloat16 as {@link HalfMatrix} has them where {@link #half}. */
  MemorySegment x() {
    return x;
  }

  /** Bytes from one source row to the next. */
  long sourceStride() {
    return half ? HalfMatrix.rowBytes(out.cols()) : (long) out.stride() * Float.BYTES;
  }

  boolean half() {
    return half;
  }

  Matrix out() {
    return out;
  }

  boolean accumulate() {
    return accumulate;
  }
}
