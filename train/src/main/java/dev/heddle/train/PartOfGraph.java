package dev.heddle.train;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.comm.ExchangeTimes;
import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.MatrixSum;
import dev.heddle.comm.Traffic;
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
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.AdditiveMetric;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.RocAuc;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The share of one of several workers: the rows of its vertices through all layers, with those of
 * its halo from their owners before every aggregation. What is its own is copied out of the graph
 * when it is first needed. Results are sums over all workers, the same bits at each, so that
 * optimizers and stopping go in step of themselves.
 */
final class PartOfGraph implements Share {
  private final Graph graph;
  private final Team team;
  private final Group group;
  private final Memory memory;
  private final ThreadTeam workers;
  private final HaloSettings settings;
  private @Nullable Cut cut;
  private ExchangeTimes atBegin = ExchangeTimes.NONE;
  private ExchangeTimes inEpochs = ExchangeTimes.NONE;
  private final EpochExchanges epochs = new EpochExchanges();
  private long summingNanos;
  private @Nullable MatrixSum gradients;

  private PartOfGraph(Graph graph, Team team, FullGraphTrainer.Place place, HaloSettings settings) {
    this.graph = graph;
    this.team = team;
    this.settings = settings;
    group = team.group();
    memory = place.memory();
    workers = place.team();
    // Asked of the whole graph, so that what is missing is told before anything is cut.
    Features _ = TrainableGraph.features(graph);
    Split _ = TrainableGraph.split(graph);
    Labels _ = TrainableGraph.labels(graph);
  }

  /** A copy of what is this worker's, and the rows that it needs of others. */
  private record Cut(GraphPart part, Features features, HaloRows halo) {}

  /** Cuts at the first call, which all workers make at the same point. */
  private Cut cut() {
    if (cut == null) {
      GraphPart part = GraphPart.of(graph, team.partition(), group.rank(), memory);
      HaloRows halo = HaloRows.of(group, part, memory, settings);
      cut = new Cut(part, Objects.requireNonNull(part.features()), halo);
    }
    return cut;
  }

  static PartOfGraph of(
      Graph graph, Team team, FullGraphTrainer.Place place, HaloSettings settings) {
    return new PartOfGraph(graph, team, place, settings);
  }

  @Override
  public Program record(Model model, Recorder.Options options, Memory unused) {
    Rows own = ownRows();
    Recorder r = new Recorder(options);
    Value x = r.input(own, features());
    List<Hop> hops = List.of();
    if (model.hops() > 0) {
      hops = Collections.nCopies(model.hops(), hop(own, model.spec().kind().selfLoops()));
    }
    return r.build(model.record(r, hops, x));
  }

  private Rows ownRows() {
    return new Rows(part().vertices(), part().ids()).shared(new Totals());
  }

  private Hop hop(Rows own, boolean loops) {
    HaloRows halo = cut().halo;
    Rows sources = new Rows(halo.layout().sources(), halo.layout().ids());
    return Hop.across(block(loops), sources, own, halo);
  }

  /**
   * The aggregation of all neighbours' features of this worker's rows, as a model begins with it;
   * the halo's travel once. All programs that exchange wider rows have been recorded before.
   */
  Matrix aggregated(Normalisation normalisation, boolean loops) {
    Rows own = ownRows();
    Recorder r = new Recorder(new Recorder.Options(false, false, true));
    Value sum = r.aggregate(hop(own, loops), normalisation, r.input(own, features()));
    int rows = part().vertices();
    Matrix result = Matrix.allocate(memory, rows, features().width());
    try (Memory scratch = memory.child()) {
      Program program = r.build(sum).allocate(scratch, workers);
      program.forward(new Step(0).evaluate());
      MemorySegment.copy(program.output().data(), 0, result.data(), 0, result.offset(rows));
    }
    return result;
  }

  /** In-arcs of own vertices from rows of the halo's layout; degrees are those of the graph. */
  private Block block(boolean loops) {
    GraphPart part = part();
    HaloLayout layout = cut().halo.layout();
    MemorySegment inverse = memory.allocateFloats(part.vertices());
    MemorySegment roots = memory.allocateFloats(part.vertices());
    try (Memory aside = new Memory()) {
      // Where others take their place, arcs with loops are needed only here.
      Memory kept = layout.makesSums() ? aside : memory;
      Csr in = loops ? SelfLoops.added(kept, part.in()) : part.in();
      Degrees.inverse(in, inverse);
      Degrees.inverseRoot(in, roots);
      Block block = Block.of(memory, layout.arcs(memory, in));
      block.inverseDegree(inverse);
      block.symmetricSource(sourceScales(roots));
      return block;
    }
  }

  /** Sums over the vertices of all workers. */
  private final class Totals implements RowTotals {
    @Override
    public Runnable of(Matrix sums) {
      MatrixSum sum = MatrixSum.of(group, memory, Kind.GRADIENT, List.of(sums));
      return () -> {
        sum.start();
        sum.finish();
      };
    }

    /** A full graph has all its rows in every step. */
    @Override
    public long rows(int own) {
      return graph.vertices();
    }
  }

  /** Owners know the in-degrees of their vertices, and tell them once; sums have theirs in them. */
  private MemorySegment sourceScales(MemorySegment own) {
    HaloRows halo = cut().halo;
    int sources = halo.layout().sources();
    Matrix column = Matrix.allocate(memory, sources, 1);
    column.fill(1);
    for (int row = 0; row < part().vertices(); row++) {
      column.set(row, 0, own.getAtIndex(JAVA_FLOAT, row));
    }
    halo.fetchOnce(workers, column);
    MemorySegment scales = memory.allocateFloats(sources);
    for (int row = 0; row < sources; row++) {
      scales.setAtIndex(JAVA_FLOAT, row, column.get(row, 0));
    }
    return scales;
  }

  @Override
  public Labels labels() {
    return Objects.requireNonNull(part().labels());
  }

  @Override
  public Split split() {
    return Objects.requireNonNull(part().split());
  }

  @Override
  public long trainVertices() {
    return TrainableGraph.split(graph).train().length;
  }

  @Override
  public double sum(double value) {
    double[] sum = {value};
    group.sum(sum);
    return sum[0];
  }

  @Override
  public void sumGradients(List<Parameter> parameters) {
    if (gradients == null) {
      List<Matrix> matrices = parameters.stream().map(Parameter::grad).toList();
      gradients =
          settings.halfSums()
              ? MatrixSum.halved(group, memory, Kind.GRADIENT, matrices)
              : MatrixSum.of(group, memory, Kind.GRADIENT, matrices);
    }
    long began = System.nanoTime();
    gradients.start();
    gradients.finish();
    summingNanos = System.nanoTime() - began;
  }

  @Override
  public double score(Metric metric, Matrix output, int[] rows) {
    return switch (metric) {
      case AdditiveMetric additive -> {
        double[] tally = additive.tally(output, labels(), rows);
        group.sum(tally);
        yield additive.of(tally, labels());
      }
      case RocAuc auc -> area(auc, output, rows);
    };
  }

  /** Rankings are of all rows: everyone gets a key of each. */
  private double area(RocAuc auc, Matrix output, int[] rows) {
    Labels labels = labels();
    long[] counts = new long[group.size()];
    counts[group.rank()] = rows.length;
    group.sum(counts);
    long[] offsets = new long[group.size() + 1];
    for (int worker = 0; worker < group.size(); worker++) {
      offsets[worker + 1] = offsets[worker] + counts[worker] * Long.BYTES;
    }
    int all = Math.toIntExact(offsets[group.size()] / Long.BYTES);
    long[] keys = new long[all];
    double sum = 0;
    int defined = 0;
    try (Memory gathered = new Memory()) {
      MemorySegment bytes = gathered.allocateLongs(all).asSlice(0, offsets[group.size()]);
      for (int label = 0; label < auc.rankings(output, labels); label++) {
        auc.rank(output, labels, rows, label, keys);
        MemorySegment.copy(keys, 0, bytes, JAVA_LONG, offsets[group.rank()], rows.length);
        group.allGather(Kind.CONTROL, bytes, offsets);
        MemorySegment.copy(bytes, JAVA_LONG, 0, keys, 0, all);
        double area = RocAuc.area(keys, all);
        if (!Double.isNaN(area)) {
          sum += area;
          defined++;
        }
      }
    }
    return sum / defined;
  }

  @Override
  public float[][] gather(Matrix own) {
    return GatheredRows.of(group, part(), own);
  }

  @Override
  public int workers() {
    return group.size();
  }

  @Override
  public boolean any(boolean here) {
    return sum(here ? 1 : 0) > 0;
  }

  @Override
  public boolean leads() {
    return group.rank() == 0;
  }

  @Override
  public void before(int epoch) {
    cut().halo.before(epoch);
    atBegin = cut().halo.times();
  }

  @Override
  public void after() {
    cut().halo.after();
    ExchangeTimes epoch = cut().halo.times().minus(atBegin);
    inEpochs = inEpochs.plus(epoch);
    epochs.add(epoch, summingNanos);
  }

  @Override
  public HaloReport halo() {
    if (cut == null) {
      return HaloReport.NOTHING;
    }
    long[] all = {
      inEpochs.travelNanos(), inEpochs.exposedNanos(), inEpochs.codingNanos(), inEpochs.sentBytes()
    };
    group.sum(all);
    RowWidths widths = cut.halo.widths();
    double choosing = sum(widths == null ? 0 : widths.seconds());
    long halos = (long) cut.part.sources() - cut.part.vertices();
    long[] sums = {halos, receivedRows(), cut.halo.exchangeBytes()};
    group.sum(sums);
    return new HaloReport(
        new ExchangeTimes(all[0], all[1], all[2], all[3]),
        choosing,
        widths(),
        epochs.typical(group),
        new HaloReport.Rows(sums[0], sums[1]),
        sums[2]);
  }

  @Override
  public void at(int epoch, int step) {
    group.at("epoch " + epoch + ", step " + step);
  }

  @Override
  public Sent sent() {
    Traffic traffic = group.traffic();
    Kind[] kinds = Kind.values();
    long[] amounts = new long[2 * kinds.length];
    for (int i = 0; i < kinds.length; i++) {
      Traffic own = traffic.of(kinds[i]);
      amounts[2 * i] = own.bytes();
      amounts[2 * i + 1] = own.messages();
    }
    group.sum(amounts);
    return Sent.of(amounts);
  }

  @Override
  public Model.Shape shape() {
    return new Model.Shape(
        TrainableGraph.features(graph).width(), TrainableGraph.labels(graph).width());
  }

  /** The features of this worker's rows. */
  Features features() {
    return cut().features;
  }

  /** The part that this worker has. */
  GraphPart part() {
    return cut().part;
  }

  /** At how many bits rows travelled so far, all workers together, who all call it. */
  List<WidthReport> widths() {
    return cut().halo.history().sum(group);
  }

  /** Bits of an element from each worker to each other, as they were chosen last. */
  double[][] linkBits() {
    double[][] bits = new double[group.size()][group.size()];
    if (cut().halo.widths() instanceof AdaptiveWidths widths) {
      for (int from = 0; from < bits.length; from++) {
        for (int to = 0; to < bits.length; to++) {
          bits[from][to] = widths.bits(from, to);
        }
      }
    }
    return bits;
  }

  /** Rows that this worker sends whenever rows of the halo travel. */
  long sentRows() {
    return cut().halo.layout().sentRows();
  }

  /** Rows that it gets then. */
  long receivedRows() {
    return cut().halo.layout().receivedRows();
  }

  @Override
  public void close() {
    if (cut != null) {
      cut.halo.close();
    }
  }
}
