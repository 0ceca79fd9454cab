package dev.heddle.graph;

import dev.heddle.graph.store.ArrayWriter;
import dev.heddle.graph.store.CsrArrays;
import dev.heddle.graph.store.ElementType;
import dev.heddle.graph.store.LabelInfo;
import dev.heddle.graph.store.Names;
import dev.heddle.graph.store.StoreDraft;
import dev.heddle.graph.store.StoreWriter;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes the graph that a {@link CommunityGraph} describes as a store, without ever holding it: the
 * same one as {@link CommunityGenerator}, bit for bit.
 *
 * <p>Edges are drawn once, in any order, and sorted on disk; rows of features are drawn as they are
 * written.
 */
final class CommunityStore {
  private static final int ROWS_PER_TASK = 512;
  private static final int TASKS_AT_ONCE = 32;
  private static final int EDGES_PER_TASK = 1 << 16;

  private final CommunityGraph settings;
  private final StoreDraft draft;
  private final ThreadTeam team;
  private final int vertices;
  private final CommunityLayout layout;

  CommunityStore(CommunityGraph settings, StoreDraft draft, ThreadTeam team) {
    this.settings = settings;
    this.draft = draft;
    this.team = team;
    this.vertices = settings.vertices();
    this.layout = new CommunityLayout(settings);
  }

  void write() {
    // Features first: most of the bytes, on their way to the disk while edges are drawn.
    if (settings.words() > 0) {
      sparseFeatures();
    } else if (settings.width() > 0) {
      denseFeatures();
    }
    try (ArrayWriter labels = draft.vector(Names.LABELS, ElementType.INT32)) {
      for (int v = 0; v < vertices; v++) {
        labels.writeInt(layout.labelOf(v));
      }
      labels.finish();
    }
    StoreWriter.split(draft, 0, CommunitySplit.of(settings, layout));
    arcs();
    LabelInfo labels = new LabelInfo(LabelInfo.Kind.CLASS, settings.classes());
    draft.commit(CommunityGenerator.NAME, true, labels);
  }

  private void denseFeatures() {
    CommunityFeatures features = new CommunityFeatures(settings);
    try (Memory memory = new Memory();
        ArrayWriter writer = draft.matrix(Names.FEATURES, settings.width())) {
      int rowsAtOnce = TASKS_AT_ONCE * ROWS_PER_TASK;
      Matrix rows = Matrix.allocate(memory, rowsAtOnce, settings.width());
      for (long first = 0; first < vertices; first += rowsAtOnce) {
        int base = (int) first;
        int count = Math.min(rowsAtOnce, vertices - base);
        team.run(
            (count + ROWS_PER_TASK - 1) / ROWS_PER_TASK,
            task -> {
              int end = Math.min(count, (task + 1) * ROWS_PER_TASK);
              for (int row = task * ROWS_PER_TASK; row < end; row++) {
                features.dense(base + row, layout.labelOf(base + row), rows, row);
              }
            });
        writer.write(rows.data(), 0, Matrix.bytes(count, settings.width()));
      }
      writer.finish();
    }
  }

  private void sparseFeatures() {
    CommunityFeatures features = new CommunityFeatures(settings);
    int[] words = new int[settings.words()];
    try (ArrayWriter offsets = draft.vector(Names.FEATURES + Names.OFFSETS, ElementType.INT64);
        ArrayWriter ids = draft.vector(Names.FEATURES + Names.IDS, ElementType.INT32);
        ArrayWriter values = draft.vector(Names.FEATURES + Names.WEIGHTS, ElementType.FLOAT32)) {
      long end = 0;
      offsets.writeLong(end);
      for (int v = 0; v < vertices; v++) {
        int count = features.words(v, layout.labelOf(v), words, 0);
        for (int i = 0; i < count; i++) {
          ids.writeInt(words[i]);
          values.writeFloat(1);
        }
        end += count;
        offsets.writeLong(end);
      }
      offsets.finish();
      ids.finish();
      values.finish();
    }
    try (Memory memory = new Memory()) {
      CsrArrays matrices = new CsrArrays(draft, memory);
      matrices.writeTransposed(
          Names.COLUMNS, matrices.map(Names.FEATURES, memory, settings.width()));
    }
  }

  private void arcs() {
    CommunityEdges edges = new CommunityEdges(settings, layout.begins());
    CommunityRounds rounds = new CommunityRounds(settings);
    double expected = vertices * settings.averageDegree();
    try (ArcBuckets buckets = new ArcBuckets(draft, vertices, expected)) {
      for (long inside = 0, outside = 0; ; ) {
        rounds.begin(inside, outside);
        draw(edges, rounds, buckets);
        try (Rows rows = new Rows()) {
          rows.write(buckets);
          inside = rows.inside.get() / 2;
          outside = rows.arcs / 2 - inside;
          if (rounds.enough(inside, outside)) {
            rows.finish();
            return;
          }
        }
      }
    }
  }

  private void draw(CommunityEdges edges, CommunityRounds rounds, ArcBuckets buckets) {
    team.run(
        Math.toIntExact((rounds.size() + EDGES_PER_TASK - 1) / EDGES_PER_TASK),
        task -> {
          CommunityEdges own = edges.forThread();
          long end = Math.min(rounds.size(), (task + 1L) * EDGES_PER_TASK);
          try (ArcBuckets.Writer writer = buckets.writer()) {
            for (long i = (long) task * EDGES_PER_TASK; i < end; i++) {
              rounds.draw(own, i);
              int from = layout.vertexAt(own.from());
              int to = layout.vertexAt(own.to());
              writer.add(from, to);
              writer.add(to, from);
            }
          }
        });
    buckets.flush();
  }

  /** The arcs in order, written while they are counted: often they are enough. */
  private final class Rows implements AutoCloseable {
    private final ArrayWriter offsets = draft.vector(Names.IN + Names.OFFSETS, ElementType.INT64);
    private final ArrayWriter ids = draft.vector(Names.IN + Names.IDS, ElementType.INT32);
    private final AtomicLong inside = new AtomicLong();
    private long arcs;

    void write(ArcBuckets buckets) {
      SortedRows[] sorted = new SortedRows[Math.min(2 * team.threads(), buckets.count())];
      for (int i = 0; i < sorted.length; i++) {
        sorted[i] = new SortedRows();
      }
      offsets.writeLong(0);
      for (int bucket = 0; bucket < buckets.count(); bucket += sorted.length) {
        int first = bucket;
        int count = Math.min(sorted.length, buckets.count() - first);
        team.run(
            count,
            task -> {
              sorted[task].sort(buckets, first + task);
              inside.addAndGet(inside(sorted[task]));
            });
        for (int i = 0; i < count; i++) {
          append(sorted[i]);
        }
      }
    }

    private long inside(SortedRows rows) {
      long count = 0;
      int arc = 0;
      for (int row = 0; row < rows.rows(); row++) {
        int community = layout.communityOf(rows.firstRow() + row);
        for (int end = rows.end(row); arc < end; arc++) {
          count += layout.communityOf(rows.id(arc)) == community ? 1 : 0;
        }
      }
      return count;
    }

    private void append(SortedRows rows) {
      for (int row = 0; row < rows.rows(); row++) {
        offsets.writeLong(arcs + rows.end(row));
      }
      MemorySegment values = rows.ids();
      ids.write(values, 0, (long) rows.size() * Integer.BYTES);
      arcs += rows.size();
    }

    void finish() {
      offsets.finish();
      ids.finish();
    }

    @Override
    public void close() {
      offsets.close();
      ids.close();
    }
  }
}
