package dev.heddle.train.loop;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.MatrixSum;
import dev.heddle.graph.Block;
import dev.heddle.graph.Degrees;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SelfLoops;
import dev.heddle.graph.Split;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowTotals;
import dev.heddle.nn.Flow;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import dev.heddle.train.halo.HaloLayout;
import dev.heddle.train.halo.HaloReport;
import dev.heddle.train.halo.HaloRows;
import dev.heddle.train.settings.Knobs;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one worker has of a graph: the rows of its vertices with their in-arcs, features, labels and
 * split, and the exchange that brings the rows of others that these arcs come from. A worker that
 * is alone has the graph itself. One of several copies its part out of the graph when a full-graph
 * model or scores first need it: batches of a store that is larger than memory never do.
 */
public final class LocalGraph implements AutoCloseable {
  private final Graph graph;
  private final Worker worker;
  private final Knobs knobs;
  private final boolean followsArcs;
  private @Nullable Cut cut;

  /** The part of this worker and the exchange of its halo's rows; none where there is no other. */
  private record Cut(GraphPart part, @Nullable HaloRows halo) {}

  private LocalGraph(Graph graph, Worker worker, Knobs knobs, boolean followsArcs) {
    this.graph = graph;
    this.worker = worker;
    this.knobs = knobs;
    this.followsArcs = followsArcs;
    // Asked of the whole graph, so that what is missing is told before anything is cut.
    Features _ = TrainableGraph.features(graph);
  }

  public static LocalGraph of(Graph graph, Worker worker, Knobs knobs) {
    return new LocalGraph(graph, worker, knobs, true);
  }

  /**
   * The rows that a worker has outputs for and no arcs to them: layers that are cut among workers
   * see to arcs themselves, and only workers of the last stage have rows here.
   */
  public static LocalGraph ofOutputs(Graph graph, Worker worker) {
    return new LocalGraph(graph, worker, Knobs.DEFAULT, false);
  }

  /** Cuts at the first call, which all workers make at the same point. */
  private Cut cut() {
    Cut made = cut;
    if (made == null) {
      made = worker.isAlone() ? new Cut(GraphPart.whole(graph), null) : part(worker.group());
      cut = made;
    }
    return made;
  }

  private Cut part(Group group) {
    if (!followsArcs) {
      return new Cut(
          GraphPart.withoutArcs(graph, worker.owners(), group.rank(), worker.memory()), null);
    }
    GraphPart part = GraphPart.of(graph, worker.owners(), group.rank(), worker.memory());
    return new Cut(part, HaloRows.of(group, part, worker.memory(), knobs, worker.lane()));
  }

  public Worker worker() {
    return worker;
  }

  /** The graph of which this is a part. */
  public Graph whole() {
    return graph;
  }

  /** This worker's vertices by row, with what is known of them. */
  public GraphPart part() {
    return cut().part;
  }

  public Features features() {
    return Objects.requireNonNull(part().features());
  }

  /** The labels of this worker's rows. */
  public Labels labels() {
    return required(part().labels(), "labels");
  }

  /** This worker's rows of the split. */
  public Split split() {
    return required(part().split(), "split");
  }

  private <T> T required(@Nullable T what, String name) {
    return TrainableGraph.required(graph, what, name);
  }

  /** Training vertices of all workers. */
  public int trainVertices() {
    return TrainableGraph.split(graph).train().length;
  }

  /** The columns that a model of this graph gets, and those it makes. */
  public Model.Shape shape() {
    return new Model.Shape(
        TrainableGraph.features(graph).width(), TrainableGraph.labels(graph).width());
  }

  /** A model over all rows of this worker: one block, followed in every hop. */
  public Program record(Model model, Recorder.Options options) {
    Rows own = rows();
    boolean loops = model.spec().kind().selfLoops();
    return record(model, options, own, features(), () -> hop(own, loops, worker.memory()));
  }

  /**
   * A model over all rows of a worker.
   *
   * @param hop followed every time; asked for once, if the model aggregates at all
   */
  public static Program record(
      Model model, Recorder.Options options, Rows own, Features features, Supplier<Hop> hop) {
    return record(model, model.sections(), options, own, features, hop);
  }

  /** The first sections of a model over all rows of a worker: its result is what they come to. */
  public static Program record(
      Model model,
      int sections,
      Recorder.Options options,
      Rows own,
      Features features,
      Supplier<Hop> hop) {
    Recorder r = new Recorder(options);
    int taken = 0;
    for (int section = 0; section < sections; section++) {
      taken += model.outlines().get(section).hops();
    }
    List<Hop> hops = taken == 0 ? List.of() : Collections.nCopies(taken, hop.get());
    Flow in = Flow.of(r.input(own, features));
    return r.build(model.record(r, 0, sections, hops, in).rows());
  }

  private Rows rows() {
    GraphPart part = part();
    Rows own = new Rows(part.vertices(), part.ids());
    return worker.isAlone() ? own : own.shared(new Totals());
  }

  /** The arcs into this worker's rows; what has to be made for them is made in {@code memory}. */
  private Hop hop(Rows own, boolean loops, Memory memory) {
    HaloRows halo = cut().halo;
    if (halo == null) {
      return Hop.within(graph.block(memory, loops), own);
    }
    HaloLayout layout = halo.layout();
    Rows sources = new Rows(layout.sources(), layout.ids());
    return Hop.across(block(halo, loops, memory), sources, own, halo);
  }

  /** In-arcs of own vertices from rows of the halo's layout; degrees are those of the graph. */
  private Block block(HaloRows halo, boolean loops, Memory memory) {
    GraphPart part = part();
    HaloLayout layout = halo.layout();
    MemorySegment inverse = memory.allocateFloats(part.vertices());
    MemorySegment roots = memory.allocateFloats(part.vertices());
    try (Memory scratch = memory.child()) {
      // Where sums for others change the arcs, those with loops are needed only here.
      Memory kept = layout.makesSums() ? scratch : memory;
      Csr in = loops ? SelfLoops.added(kept, part.in()) : part.in();
      Degrees.inverse(in, inverse);
      Degrees.inverseRoot(in, roots);
      Block block = Block.of(memory, layout.arcs(memory, in));
      block.inverseDegree(inverse);
      block.symmetricSource(sourceScales(halo, roots, memory));
      return block;
    }
  }

  /** Owners know the in-degrees of their vertices, and tell them once; sums have theirs in them. */
  private MemorySegment sourceScales(HaloRows halo, MemorySegment own, Memory memory) {
    int sources = halo.layout().sources();
    MemorySegment scales = memory.allocateFloats(sources);
    try (Memory scratch = memory.child()) {
      Matrix column = Matrix.allocate(scratch, sources, 1);
      column.fill(1);
      for (int row = 0; row < part().vertices(); row++) {
        column.set(row, 0, own.getAtIndex(JAVA_FLOAT, row));
      }
      halo.fetchOnce(worker.team(), column);
      for (int row = 0; row < sources; row++) {
        scales.setAtIndex(JAVA_FLOAT, row, column.get(row, 0));
      }
    }
    return scales;
  }

  /**
   * The aggregation of all neighbours' features for this worker's rows, as a model begins with it;
   * the halo's rows travel once, as they are.
   */
  public Matrix aggregated(Normalisation normalisation, boolean loops) {
    try (Memory scratch = worker.memory().child()) {
      Rows own = rows();
      Recorder r = new Recorder(new Recorder.Options(true, false, true));
      Value sum = r.aggregate(hop(own, loops, scratch), normalisation, r.input(own, features()));
      Program program = r.build(sum);
      // Alone, nothing is planned but the result: it stays where it is made.
      Memory lasting = worker.isAlone() ? worker.memory() : scratch;
      MemorySegment values = lasting.allocate(program.bytes());
      program.allocateOver(values, scratch, worker.team()).forward(new Step(0).train(1, 0));
      Matrix made = program.output();
      if (worker.isAlone()) {
        return made;
      }
      Matrix result = Matrix.allocate(worker.memory(), made.rows(), made.cols());
      MemorySegment.copy(made.data(), 0, result.data(), 0, result.offset(made.rows()));
      return result;
    }
  }

  /** Sums over the vertices of all workers. */
  private final class Totals implements RowTotals {
    @Override
    public Runnable of(Matrix sums) {
      MatrixSum sum = MatrixSum.of(worker.group(), worker.memory(), Kind.GRADIENT, List.of(sums));
      return () -> {
        sum.start();
        worker.lane().beginWait();
        sum.await();
        worker.lane().end();
        sum.finish();
      };
    }

    /** A full graph has all its rows in every step. */
    @Override
    public long rows(int own) {
      return graph.vertices();
    }
  }

  /** The exchange of rows with other workers; null where nobody needs any, or none was made yet. */
  public @Nullable HaloRows halo() {
    return cut == null ? null : cut.halo;
  }

  /** How rows travelled in training so far; all workers call it. */
  public HaloReport haloReport() {
    HaloRows halo = halo();
    return halo == null ? HaloReport.NOTHING : halo.report();
  }

  /** Waits until what was sent has left; memory is freed by whoever gave it. */
  @Override
  public void close() {
    HaloRows halo = halo();
    if (halo != null) {
      halo.close();
    }
  }
}
