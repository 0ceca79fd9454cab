package dev.heddle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Aggregation of rows that exceed memory: sources are read a block at a time in their order, and
 * each block is added to all destinations that name it, instead of each destination fetching its
 * sources from anywhere. So a page of sources is read once for thousands of its readers, and the
 * disk is read forward ("broadcast" inference, as ATLAS 2026 calls it).
 *
 * <p>Destinations are taken in buckets whose sums fit the working memory; the sources are gone
 * through once for each bucket, blocks that none of its arcs name being left out. A sum keeps the
 * order of {@link SumGather}, in which a destination's sources ascend, and a hub is cut into the
 * segments that it has there: the bits are the same.
 */
public final class SourceOrder {
  /** Less would be as many passes over the sources as there are destinations. */
  public static final long LEAST_BYTES = 1 << 20;

  private static final long MOST_BLOCK_BYTES = 32 << 20;
  private static final long LEAST_BLOCK_BYTES = 64 << 10;

  private static final int TASKS = 256;
  private static final int LEAST_TASK_ROWS = 64;
  private static final int PAGE = 4096;

  /** What {@link #next} holds of a row without further arcs. */
  private static final int DONE = Integer.MAX_VALUE;

  private final MemorySegment working;
  private final boolean always;

  private final Task beginTask = this::begin;
  private final Task addTask = this::add;
  private final Task finishTask = this::finish;

  /** The smallest source that a task has still to add. */
  private final int[] least = new int[TASKS + ArcTasks.MAX_SEGMENTS];

  /** How many arcs a task has added of the last block. */
  private final long[] added = new long[TASKS + ArcTasks.MAX_SEGMENTS];

  /** Of every segment of a hub, the arc to be added next. */
  private final long[] segments = new long[ArcTasks.MAX_SEGMENTS];

  private SumGather gather;
  private MemorySegment sums = MemorySegment.NULL;
  private MemorySegment arcs = MemorySegment.NULL;
  private MemorySegment next = MemorySegment.NULL;
  private long rowBytes;
  private int first;
  private int end;
  private int taskRows;
  private int rowTasks;
  private int blockEnd;

  private SourceOrder(MemorySegment working, boolean always, SumGather none) {
    this.working = working;
    this.always = always;
    gather = none;
  }

  /** With so many bytes of working memory, at least {@link #LEAST_BYTES}. */
  public static SourceOrder within(Memory memory, long bytes) {
    return of(memory, bytes, false);
  }

  /** Goes through sources also where these fit into the working memory. */
  static SourceOrder always(Memory memory, long bytes) {
    return of(memory, bytes, true);
  }

  private static SourceOrder of(Memory memory, long bytes, boolean always) {
    Csr none = Csr.of(0, 0, MemorySegment.NULL, MemorySegment.NULL);
    SumGather nothing =
        SumGather.over(none, Coefficients.perSource(MemorySegment.NULL), null, Matrix.EMPTY);
    return new SourceOrder(memory.allocate(bytes), always, nothing);
  }

  /** Whether rows of so many bytes are gone through: what fits into memory is gathered faster. */
  boolean pays(long sourceBytes) {
    return always || sourceBytes > working.byteSize();
  }

  /** Makes all rows of an aggregation that is ready to run, those of hubs as partial sums. */
  void run(ThreadTeam team, SumGather of) {
    gather = of;
    rowBytes = of.sourceStride();
    Csr csr = of.arcs();
    int room = room(csr.rows());
    sums = working.asSlice(0, room * rowBytes);
    arcs = working.asSlice(room * rowBytes, (long) room * Long.BYTES);
    next = working.asSlice(room * (rowBytes + Long.BYTES), (long) room * Integer.BYTES);
    ArcTasks cut = csr.tasks();
    long blockBytes = Math.clamp(working.byteSize() / 4, LEAST_BLOCK_BYTES, MOST_BLOCK_BYTES);
    int blockRows = (int) Math.max(1, blockBytes / rowBytes);
    PageAdvice.RANDOM.give(of.x().address(), of.sources() * rowBytes);
    try {
      for (first = 0; first < csr.rows(); first = end) {
        end = Math.min(csr.rows(), first + room);
        taskRows = Math.max(LEAST_TASK_ROWS, (end - first + TASKS - 1) / TASKS);
        rowTasks = (end - first + taskRows - 1) / taskRows;
        // Segments of hubs, wherever these are, go along with the first bucket.
        int tasks = rowTasks + (first == 0 ? cut.segments() : 0);
        team.run(tasks, beginTask);
        passOver(team, tasks, blockRows);
        team.run(rowTasks, finishTask);
      }
    } finally {
      PageAdvice.NORMAL.give(of.x().address(), of.sources() * rowBytes);
    }
  }

  /** Destinations of a bucket. */
  private int room(int rows) {
    long each = rowBytes + Long.BYTES + Integer.BYTES;
    long room = working.byteSize() / each;
    if (room < 1) {
      throw new IllegalArgumentException(
          working.byteSize() + " bytes of working memory are too few for rows of " + rowBytes);
    }
    return (int) Math.min(rows, room);
  }

  private void passOver(ThreadTeam team, int tasks, int blockRows) {
    int sources = gather.sources();
    boolean dense = true;
    for (int block = smallest(tasks); block < sources; block = smallest(tasks)) {
      blockEnd = Math.min(sources, block + blockRows);
      if (dense) {
        // What comes after it is read while it is added.
        announce(block, Math.min(sources, blockEnd + blockRows));
      }
      team.run(tasks, addTask);
      dense = total(tasks) * PAGE >= (blockEnd - block) * rowBytes / 2;
    }
  }

  private void announce(int from, int to) {
    PageAdvice.SOON.give(gather.x().address() + from * rowBytes, (to - from) * rowBytes);
  }

  private int smallest(int tasks) {
    int smallest = DONE;
    for (int task = 0; task < tasks; task++) {
      smallest = Math.min(smallest, least[task]);
    }
    return smallest;
  }

  private long total(int tasks) {
    long total = 0;
    for (int task = 0; task < tasks; task++) {
      total += added[task];
    }
    return total;
  }

  private void begin(int task) {
    Csr csr = gather.arcs();
    ArcTasks cut = csr.tasks();
    if (task >= rowTasks) {
      int segment = task - rowTasks;
      segments[segment] = gather.firstArc(segment);
      gather.partials().data().asSlice(gather.partials().offset(segment), rowBytes).fill((byte) 0);
      least[task] = csr.id(segments[segment]);
      return;
    }
    int from = task * taskRows;
    int to = Math.min(end - first, from + taskRows);
    int smallest = DONE;
    int hub = cut.firstHubFrom(first + from);
    sums.asSlice(from * rowBytes, (to - from) * rowBytes).fill((byte) 0);
    long begin = csr.offset(first + from);
    for (int row = from; row < to; row++) {
      long last = csr.offset(first + row + 1);
      boolean isHub = hub < cut.hubs() && cut.hub(hub) == first + row;
      hub += isHub ? 1 : 0;
      int source = begin < last && !isHub ? csr.id(begin) : DONE;
      arcs.setAtIndex(JAVA_LONG, row, begin);
      next.setAtIndex(JAVA_INT, row, source);
      smallest = Math.min(smallest, source);
      begin = last;
    }
    least[task] = smallest;
  }

  /** Adds what destinations have of the block. */
  private void add(int task) {
    added[task] = 0;
    if (least[task] >= blockEnd) {
      return;
    }
    Csr csr = gather.arcs();
    if (task >= rowTasks) {
      int segment = task - rowTasks;
      long last = gather.endArc(segment);
      Matrix partials = gather.partials();
      long to = beyond(segments[segment], last);
      Kernels.gather()
          .addArcs(gather, segments[segment], to, partials.data(), partials.offset(segment));
      added[task] = to - segments[segment];
      segments[segment] = to;
      least[task] = to < last ? csr.id(to) : DONE;
      return;
    }
    GatherKernels kernels = Kernels.gather();
    int from = task * taskRows;
    int to = Math.min(end - first, from + taskRows);
    int smallest = DONE;
    long count = 0;
    for (int row = from; row < to; row++) {
      int source = next.getAtIndex(JAVA_INT, row);
      if (source < blockEnd) {
        long arc = arcs.getAtIndex(JAVA_LONG, row);
        long last = csr.offset(first + row + 1);
        long after = beyond(arc, last);
        kernels.addArcs(gather, arc, after, sums, row * rowBytes);
        count += after - arc;
        source = after < last ? csr.id(after) : DONE;
        arcs.setAtIndex(JAVA_LONG, row, after);
        next.setAtIndex(JAVA_INT, row, source);
      }
      smallest = Math.min(smallest, source);
    }
    least[task] = smallest;
    added[task] = count;
  }

  /** The first arc from one on whose source lies behind the block. */
  private long beyond(long from, long last) {
    Csr csr = gather.arcs();
    long arc = from;
    while (arc < last && csr.id(arc) < blockEnd) {
      arc++;
    }
    return arc;
  }

  private void finish(int task) {
    ArcTasks cut = gather.arcs().tasks();
    int from = first + task * taskRows;
    int to = Math.min(end, from + taskRows);
    int hub = cut.firstHubFrom(from);
    for (int row = from; row < to; row++) {
      if (hub < cut.hubs() && cut.hub(hub) == row) {
        hub++;
      } else {
        Kernels.gather().finish(gather, row, sums, (row - first) * rowBytes);
      }
    }
  }
}
