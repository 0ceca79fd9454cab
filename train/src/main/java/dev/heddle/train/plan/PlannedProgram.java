package dev.heddle.train.plan;

import dev.heddle.graph.Block;
import dev.heddle.graph.BlockBytes;
import dev.heddle.graph.CsrBuilder;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Transpose;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Travelling;
import dev.heddle.train.layers.StageModel;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A model recorded over one worker's rows of a graph, of which nothing but the number is known: no
 * part is cut out, and no memory is taken for values.
 */
final class PlannedProgram {
  /** Owners of vertices tell these. */
  private static final Set<BlockBytes.Derived> DEGREES =
      EnumSet.of(BlockBytes.Derived.INVERSE_DEGREES, BlockBytes.Derived.ROOT_DEGREES);

  private final Graph graph;
  private final PartLayout layout;
  private final boolean loops;
  private final boolean weighted;
  private final int hops;
  private final Program program;
  private final PlannedHalo halo = new PlannedHalo();

  /** How a program comes about of rows, their features and the hop of their arcs. */
  private interface Recording {
    Program over(Rows own, Features features, Supplier<Hop> hop);
  }

  private PlannedProgram(
      Graph graph, Model model, PartLayout layout, Recording recording, Memory scratch) {
    this.graph = graph;
    this.layout = layout;
    loops = model.spec().kind().selfLoops();
    weighted = graph.in().weights() != null;
    hops = model.hops();
    Rows own = new Rows(layout.own().vertices());
    program = recording.over(own, features(), () -> hop(own, scratch));
  }

  /**
   * Records a model.
   *
   * @param scratch of which nothing is taken that lasts
   */
  static PlannedProgram of(
      Graph graph, Model model, PartLayout layout, Recorder.Options options, Memory scratch) {
    return of(graph, model, model.sections(), layout, options, scratch);
  }

  /** Records the first sections of a model. */
  static PlannedProgram of(
      Graph graph,
      Model model,
      int sections,
      PartLayout layout,
      Recorder.Options options,
      Memory scratch) {
    return new PlannedProgram(
        graph,
        model,
        layout,
        (own, features, hop) -> LocalGraph.record(model, sections, options, own, features, hop),
        scratch);
  }

  /**
   * Records the sections of a stage over one of its chunks.
   *
   * @param crossing is told what crosses the ends of the stage
   * @param scratch of which nothing is taken that lasts
   */
  static PlannedProgram ofStage(
      Graph graph,
      StageModel stage,
      PartLayout layout,
      Recorder.Options options,
      Consumer<StageModel.Recorded> crossing,
      Memory scratch) {
    return new PlannedProgram(
        graph,
        stage.model(),
        layout,
        (_, features, hop) -> {
          var made = stage.record(new Recorder(options), hop.get(), () -> features, _ -> {});
          crossing.accept(made);
          return made.program();
        },
        scratch);
  }

  private Hop hop(Rows own, Memory scratch) {
    int n = layout.own().vertices();
    Csr arcs = shape(n, layout.sources(), 0);
    Block block = Block.changing(scratch, arcs, arcs, size());
    return layout.alone()
        ? Hop.within(block, own)
        : Hop.across(block, new Rows(layout.sources()), own, halo);
  }

  private Block.Capacity size() {
    return new Block.Capacity(
        layout.own().vertices(), layout.sources(), layout.arcsOfLayout(loops));
  }

  /**
   * The features of the part, as far as a recorder looks: dense ones are only asked their width.
   */
  private Features features() {
    Features whole = TrainableGraph.features(graph);
    if (layout.alone() || !(whole instanceof SparseFeatures)) {
      return whole;
    }
    int n = layout.own().vertices();
    long values = layout.own().featureValues();
    return new SparseFeatures(shape(n, whole.width(), values), shape(whole.width(), n, values));
  }

  /** Arcs that nobody reads, with room for so many. */
  private static Csr shape(int rows, int cols, long arcs) {
    MemorySegment ids = MemorySegment.NULL.reinterpret(Integer.BYTES * arcs);
    return Csr.of(rows, cols, MemorySegment.NULL, ids);
  }

  /** What travels between workers in a step. */
  List<Travelling> values() {
    return halo.values();
  }

  /** Columns of every sum over the rows of all workers in a step of training. */
  List<Integer> totals() {
    return program.totals();
  }

  /** Columns of the output. */
  int outputs() {
    return program.outputCols();
  }

  /** Bytes of values, gradients, and what operations keep. */
  long valueBytes() {
    return Memory.padded(program.bytes()) + program.ownBytes();
  }

  /** Bytes of {@link #valueBytes} that must stay while the programs of other chunks run. */
  long lastingBytes() {
    return Memory.padded(program.lastingBytes()) + program.ownBytes();
  }

  /** Bytes that the programs of other chunks may use too. */
  long passingBytes() {
    return Memory.padded(program.passingBytes());
  }

  /** As {@link dev.heddle.train.layers} makes it for a chunk; one that is the graph has its. */
  long chunkArcBytes() {
    if (layout.alone()) {
      return wholeArcBytes();
    }
    int n = layout.own().vertices();
    long copied = loops ? Csr.bytes(n, layout.arcs(true), weighted) : 0;
    BlockBytes block =
        new BlockBytes(size(), weighted, EnumSet.of(BlockBytes.Derived.ROOT_DEGREES));
    program.askOf(block);
    return copied + block.bytes() + Memory.padded((long) Float.BYTES * layout.sources());
  }

  /** Bytes of what is made of the part's arcs, so that they can be followed. */
  long arcBytes() {
    if (hops == 0) {
      return 0;
    }
    return layout.alone() ? wholeArcBytes() : partArcBytes();
  }

  /** As {@link Graph#block} makes it. */
  private long wholeArcBytes() {
    boolean transposed =
        graph.symmetric() || (!loops && graph.out() != null) || Transpose.isSymmetric(graph.in());
    Set<BlockBytes.Derived> told = transposed ? EnumSet.of(BlockBytes.Derived.OUT) : Set.of();
    BlockBytes block = new BlockBytes(size(), weighted, told);
    program.askOf(block);
    long copied = loops ? Csr.bytes(graph.vertices(), layout.arcs(true), weighted) : 0;
    return copied + block.bytes();
  }

  /** As {@link LocalGraph} and {@link dev.heddle.train.halo.HaloRows} make it. */
  private long partArcBytes() {
    int n = layout.own().vertices();
    long bytes = loops && layout.sums() == 0 ? Csr.bytes(n, layout.arcs(true), weighted) : 0;
    bytes += layout.rewritesArcs() ? CsrBuilder.bytes(n, layout.arcsOfLayout(loops), weighted) : 0;
    // What sums are divided by, told by owners: two of own rows, one of all sources.
    bytes += 2 * Memory.padded(4L * n) + Memory.padded(4L * layout.sources());
    BlockBytes block = new BlockBytes(size(), weighted, DEGREES);
    program.askOf(block);
    return bytes + block.bytes() + sumBytes();
  }

  /** Names of rows, and arcs of sums for others, which are there in any case. */
  long layoutBytes() {
    int sources = layout.sources();
    return Memory.padded(4L * (layout.own().vertices() + layout.own().haloRows()))
        + Memory.padded(4L * sources)
        + CsrBuilder.bytes(sources, layout.sumArcs(), weighted);
  }

  /** What making sums for others takes besides their arcs. */
  private long sumBytes() {
    if (layout.sums() == 0) {
      return 0;
    }
    int sources = layout.sources();
    var size = new Block.Capacity(sources, sources, layout.sumArcs());
    BlockBytes block = new BlockBytes(size, weighted, DEGREES);
    Set<Integer> widths = new HashSet<>();
    for (Travelling value : values()) {
      Normalisation normalisation =
          value.normalisation() == Normalisation.SYMMETRIC
              ? Normalisation.SYMMETRIC
              : Normalisation.SUM;
      block.forward(normalisation);
      block.backward(normalisation);
      widths.add(value.cols());
    }
    long partials =
        widths.stream().mapToLong(cols -> Matrix.bytes(ArcTasks.MAX_SEGMENTS, cols)).sum();
    return block.bytes() + partials;
  }
}
