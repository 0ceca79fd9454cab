package dev.heddle.graph.store;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.LongIds;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.StringIds;
import dev.heddle.graph.VertexIds;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Writes a graph to a store, in memory that does not depend on the number of arcs. */
public final class StoreWriter {
  private static final MemorySegment ZEROS = MemorySegment.ofArray(new float[16]);

  private final StoreDraft draft;
  private final CsrArrays matrices;

  private StoreWriter(StoreDraft draft, Memory memory) {
    this.draft = draft;
    this.matrices = new CsrArrays(draft, memory);
  }

  /**
   * Writes a graph.
   *
   * @param overwrite whether a store that is there is replaced
   */
  public static void write(Graph graph, Path path, boolean overwrite) {
    try (StoreDraft draft = StoreDraft.begin(path, overwrite)) {
      StoreWriter writer = new StoreWriter(draft, graph.memory());
      writer.features(graph.features());
      draft.features(graph.featureSchema());
      draft.bothWays(graph.bothWays());
      LabelInfo labels = labels(draft, graph.labels());
      Split split = graph.split();
      if (split != null) {
        split(draft, 0, split);
      }
      writer.ids(graph);
      boolean symmetric = writer.arcs(graph);
      draft.commit(
          graph.name(), symmetric, labels == null ? null : labels.named(graph.classNames()));
    }
  }

  private boolean arcs(Graph graph) {
    matrices.write(Names.IN, graph.in());
    ArcTypes types = graph.arcTypes();
    if (types != null) {
      draft.arcTypes(types.names());
      try (ArrayWriter writer = draft.vector(Names.IN + Names.TYPES, ElementType.UINT16)) {
        writer.write(types.values(), 0, types.arcs() * Short.BYTES);
        writer.finish();
      }
    }
    if (graph.symmetric()) {
      return true;
    }
    return matrices.writeOut(graph.in(), graph.out());
  }

  private void features(@Nullable Features features) {
    switch (features) {
      case null -> {}
      case DenseFeatures dense -> matrix(draft, Names.FEATURES, dense.matrix());
      case SparseFeatures sparse -> {
        matrices.write(Names.FEATURES, sparse.byRow());
        matrices.write(Names.COLUMNS, sparse.byColumn());
      }
    }
  }

  /** Writes labels, if there are any, and says what they mean. */
  public static @Nullable LabelInfo labels(StoreDraft draft, @Nullable Labels labels) {
    return switch (labels) {
      case null -> null;
      case ClassLabels classes -> {
        try (ArrayWriter writer = draft.vector(Names.LABELS, ElementType.INT32)) {
          writer.write(classes.values(), 0, (long) classes.rows() * Integer.BYTES);
          writer.finish();
        }
        yield new LabelInfo(LabelInfo.Kind.CLASS, classes.classes());
      }
      case MultiLabels multi -> {
        matrix(draft, Names.LABELS, multi.values());
        yield new LabelInfo(LabelInfo.Kind.MULTI, multi.width());
      }
      case RealLabels real -> {
        matrix(draft, Names.LABELS, real.values());
        yield new LabelInfo(LabelInfo.Kind.REAL, real.width());
      }
    };
  }

  /** What fills rows in memory is unspecified; in files it is zero, so that equal graphs are. */
  private static void matrix(StoreDraft draft, String name, Matrix matrix) {
    long bytes = (long) matrix.cols() * Float.BYTES;
    long padding = (long) matrix.stride() * Float.BYTES - bytes;
    try (ArrayWriter writer = draft.matrix(name, matrix.cols())) {
      for (int row = 0; row < matrix.rows(); row++) {
        writer.write(matrix.data(), matrix.offset(row), bytes);
        writer.write(ZEROS, 0, padding);
      }
      writer.finish();
    }
  }

  /** Writes the split of that number; they are counted from 0. */
  public static void split(StoreDraft draft, int number, Split split) {
    ints(draft, Names.split(number, Names.TRAIN), split.train());
    ints(draft, Names.split(number, Names.VALID), split.valid());
    ints(draft, Names.split(number, Names.TEST), split.test());
  }

  private static void ints(StoreDraft draft, String name, int[] values) {
    try (ArrayWriter writer = draft.vector(name, ElementType.INT32)) {
      for (int value : values) {
        writer.writeInt(value);
      }
      writer.finish();
    }
  }

  /** Names in the order of the graph's vertices, which need not be the user's. */
  private void ids(Graph graph) {
    VertexIds ids = graph.ids();
    if (ids == null && graph.order().isIdentity()) {
      return;
    }
    if (ids instanceof StringIds strings) {
      text(graph, strings);
    } else {
      numbers(graph, (LongIds) ids);
    }
    try (ArrayWriter writer = draft.vector(Names.USER_IDS + Names.SORTED, ElementType.INT32)) {
      for (int i = 0; i < graph.vertices(); i++) {
        writer.writeInt(graph.localIndex(ids == null ? i : ids.sortedAt(i)));
      }
      writer.finish();
    }
  }

  private void numbers(Graph graph, @Nullable LongIds ids) {
    try (ArrayWriter writer = draft.vector(Names.USER_IDS, ElementType.INT64)) {
      for (int v = 0; v < graph.vertices(); v++) {
        int index = graph.userIndex(v);
        writer.writeLong(ids == null ? index : ids.longAt(index));
      }
      writer.finish();
    }
  }

  private void text(Graph graph, StringIds ids) {
    try (ArrayWriter offsets = draft.vector(Names.USER_IDS + Names.OFFSETS, ElementType.INT64);
        ArrayWriter bytes = draft.vector(Names.USER_IDS, ElementType.UINT8)) {
      long end = 0;
      offsets.writeLong(end);
      for (int v = 0; v < graph.vertices(); v++) {
        byte[] name = ids.bytesAt(graph.userIndex(v));
        bytes.write(name);
        end += name.length;
        offsets.writeLong(end);
      }
      offsets.finish();
      bytes.finish();
    }
  }
}
