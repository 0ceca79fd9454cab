package dev.heddle.graph.store;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.FeaturePlace;
import dev.heddle.graph.FeatureScaling;
import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.Labels;
import dev.heddle.graph.LongIds;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.StringIds;
import dev.heddle.graph.Treatment;
import dev.heddle.graph.VertexIds;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A graph on disk that is used where it lies: a folder with {@code manifest.json} and a file per
 * array, as docs/format.md describes it.
 *
 * <p>Opening checks that all files are there, whole in length and made for each other, which takes
 * no time, whatever the size. The first graph that is made of a store has its contents checked, in
 * one pass over them that {@link CheckedMark} remembers; {@link #verify} compares checksums, too.
 */
public final class Store {
  private static final long STRETCH_BYTES = 1 << 25;

  private final Path folder;
  private final Manifest manifest;

  private Store(Path folder, Manifest manifest) {
    this.folder = folder;
    this.manifest = manifest;
  }

  /**
   * Whether a folder is meant to be a store. One that was set aside by a writer which died before
   * it had put the new one there is first put back.
   */
  public static boolean isStore(Path folder) {
    StoreDraft.putBack(folder);
    return Files.exists(folder.resolve(Manifest.FILE));
  }

  /** Opens a store; faults are {@link GraphFormatException}s. */
  public static Store open(Path folder) {
    if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
      throw new GraphFormatException(folder, "stores cannot be used on big-endian machines");
    }
    boolean store = isStore(folder);
    if (!Files.isDirectory(folder)) {
      throw new GraphFormatException(folder, "no such folder");
    }
    if (!store) {
      throw new GraphFormatException(folder, "not a store: it has no " + Manifest.FILE);
    }
    Manifest manifest = ManifestJson.read(folder);
    ManifestRules.check(folder, manifest);
    for (ArrayEntry entry : manifest.arrays().values()) {
      entry.check(folder);
    }
    return new Store(folder, manifest);
  }

  /** Reads everything and checks all that can be wrong; the first fault is thrown. */
  public void verify() {
    StoreCheck.run(folder, manifest);
    CheckedMark.note(folder, manifest);
  }

  /** Bytes of each file. */
  public Map<String, Long> fileBytes() {
    Map<String, Long> bytes = new LinkedHashMap<>();
    manifest.arrays().forEach((name, entry) -> bytes.put(name, entry.shape().fileBytes()));
    return bytes;
  }

  /** How columns of a table became the features; null if they came otherwise. */
  public @Nullable Treatment treatment() {
    return manifest.features().treatment();
  }

  /** What the labels mean; null without any. */
  public @Nullable LabelInfo labelInfo() {
    return manifest.labels();
  }

  /** Its partitions. */
  public StoredPartitions partitions() {
    return StoredPartitions.of(folder);
  }

  Manifest manifest() {
    return manifest;
  }

  public long vertices() {
    return manifest.vertices();
  }

  public long arcs() {
    return manifest.arcs();
  }

  /** How many splits there are to choose from. */
  public int splits() {
    return manifest.splits();
  }

  /** The graph; it keeps the files mapped until it is closed. */
  public Graph graph(ReadOptions options) {
    CheckedMark.ensure(folder, manifest);
    Memory memory = options.newMemory();
    try {
      return graph(options, memory);
    } catch (MemoryLimitException e) {
      memory.close();
      throw new GraphFormatException(
          folder, "features are too large: " + e.getMessage() + "; mapped, they may be", e);
    } catch (RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  private Graph graph(ReadOptions options, Memory memory) {
    StoreArrays arrays = new StoreArrays(folder, manifest.arrays(), memory);
    int vertices = (int) manifest.vertices();
    Csr mapped = arcs(arrays, Names.IN, vertices);
    // Neighbours are looked up at random: on small pages that is mostly address translation.
    Csr in = options.place() == FeaturePlace.MEMORY ? copy(memory, mapped) : mapped;
    Graph.Builder graph =
        Graph.builder(memory, manifest.name(), in)
            .out(manifest.symmetric() ? in : arcs(arrays, Names.OUT, vertices))
            .arcTypes(arrays.arcTypes(manifest))
            .bothWays(manifest.bothWays())
            .features(features(arrays, options, memory))
            .featureSchema(schema(options))
            .labels(labels(arrays))
            .classNames(manifest.labels() == null ? List.of() : manifest.labels().names())
            .ids(ids(arrays, vertices));
    if (options.split() < manifest.splits()) {
      graph.lazySplit(new LazySplit(arrays, options.split()));
    } else if (options.split() > 0) {
      throw new GraphFormatException(
          folder, "split " + options.split() + " is not among the " + manifest.splits());
    }
    return graph.build();
  }

  private FeatureSchema schema(ReadOptions options) {
    FeatureSchema stored = manifest.features();
    return options.rowNormalise() ? stored.withScaling(FeatureScaling.ROW_SUM) : stored;
  }

  private Csr arcs(StoreArrays arrays, String prefix, int vertices) {
    Csr csr = arrays.csr(prefix, vertices);
    if (csr.offset(0) != 0 || csr.arcs() != manifest.arcs()) {
      throw new GraphFormatException(
          folder.resolve(prefix + Names.OFFSETS),
          "goes from " + csr.offset(0) + " to " + csr.arcs() + ", not 0 to " + manifest.arcs());
    }
    return csr;
  }

  private static @Nullable Features features(
      StoreArrays arrays, ReadOptions options, Memory memory) {
    boolean copied = options.place() == FeaturePlace.MEMORY;
    if (arrays.has(Names.FEATURES)) {
      DenseFeatures dense = new DenseFeatures(arrays.matrix(Names.FEATURES));
      return options.rowNormalise()
          ? dense.rowNormalised(memory)
          : copied ? new DenseFeatures(copy(memory, dense.matrix())) : dense;
    }
    if (!arrays.has(Names.FEATURES + Names.OFFSETS)) {
      return null;
    }
    int rows = (int) arrays.rows(Names.FEATURES + Names.OFFSETS) - 1;
    int width = (int) arrays.rows(Names.COLUMNS + Names.OFFSETS) - 1;
    Csr byRow = arrays.csr(Names.FEATURES, width);
    Csr byColumn = arrays.csr(Names.COLUMNS, rows);
    SparseFeatures sparse = new SparseFeatures(byRow, byColumn);
    return options.rowNormalise()
        ? sparse.rowNormalised(memory)
        : copied ? new SparseFeatures(copy(memory, byRow), copy(memory, byColumn)) : sparse;
  }

  /** Copies a stretch at a time and gives it back, so that nothing is in memory twice. */
  private static Matrix copy(Memory memory, Matrix matrix) {
    MemorySegment copied = memory.allocate(matrix.data().byteSize());
    int most = (int) Math.max(1, STRETCH_BYTES / Matrix.bytes(1, matrix.cols()));
    for (int row = 0; row < matrix.rows(); row += Math.min(most, matrix.rows() - row)) {
      int rows = Math.min(most, matrix.rows() - row);
      long from = matrix.offset(row);
      long bytes = Matrix.bytes(rows, matrix.cols());
      MemorySegment.copy(matrix.data(), from, copied, from, bytes);
      Matrix.over(matrix.data().asSlice(from, bytes), rows, matrix.cols()).unload();
    }
    return Matrix.over(copied, matrix.rows(), matrix.cols());
  }

  private static Csr copy(Memory memory, Csr csr) {
    MemorySegment weights = csr.weights();
    Csr copied =
        Csr.of(csr.rows(), csr.cols(), copy(memory, csr.offsets()), copy(memory, csr.ids()))
            .withWeights(weights == null ? null : copy(memory, weights));
    csr.unload();
    return copied;
  }

  private static MemorySegment copy(Memory memory, MemorySegment segment) {
    return memory.allocate(segment.byteSize()).copyFrom(segment);
  }

  private @Nullable Labels labels(StoreArrays arrays) {
    LabelInfo info = manifest.labels();
    if (info == null) {
      return null;
    }
    return switch (info.kind()) {
      case CLASS ->
          new ClassLabels(arrays.vector(Names.LABELS), (int) manifest.vertices(), info.width());
      case MULTI -> new MultiLabels(arrays.matrix(Names.LABELS));
      case REAL -> new RealLabels(arrays.matrix(Names.LABELS));
    };
  }

  private static @Nullable VertexIds ids(StoreArrays arrays, int vertices) {
    if (!arrays.has(Names.USER_IDS)) {
      return null;
    }
    MemorySegment names = arrays.vector(Names.USER_IDS);
    MemorySegment sorted = arrays.vector(Names.USER_IDS + Names.SORTED);
    return arrays.has(Names.USER_IDS + Names.OFFSETS)
        ? new StringIds(arrays.vector(Names.USER_IDS + Names.OFFSETS), names, sorted, vertices)
        : new LongIds(names, sorted, vertices);
  }

  /** A split on the heap, made when it is first asked for: copying it is not O(1). */
  private static final class LazySplit implements Supplier<@Nullable Split> {
    private final StoreArrays arrays;
    private final int number;
    private @Nullable Split split;

    LazySplit(StoreArrays arrays, int number) {
      this.arrays = arrays;
      this.number = number;
    }

    @Override
    public synchronized Split get() {
      if (split == null) {
        split = new Split(part(Names.TRAIN), part(Names.VALID), part(Names.TEST));
      }
      return split;
    }

    private int[] part(String part) {
      String name = Names.split(number, part);
      int[] vertices = new int[(int) arrays.rows(name)];
      MemorySegment.copy(arrays.vector(name), JAVA_INT, 0, vertices, 0, vertices.length);
      return vertices;
    }
  }
}
