package dev.heddle.train.plan;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.comm.SumCost;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.PartCounts;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Recorder;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Plans training on the whole graph, by one worker or by several that each have a part: bytes and
 * messages are exact, since nothing in them depends on what is computed; only widths that are
 * chosen while training are taken at their mean.
 */
public final class FullGraphPlanner implements SplitPlanner {
  private final Graph graph;
  private final Model model;
  private final TrainSettings settings;
  private final List<PartCounts> parts;
  private final Memory scratch;

  /**
   * Plans for the workers of a run.
   *
   * @param parts what each has
   * @param scratch of which nothing is taken that lasts
   */
  public FullGraphPlanner(
      Graph graph, Model model, TrainSettings settings, List<PartCounts> parts, Memory scratch) {
    this.graph = graph;
    this.model = model;
    this.settings = settings;
    this.parts = List.copyOf(parts);
    this.scratch = scratch;
  }

  /**
   * Plans for workers of whom each counts its own part; all of them call it, before any part is cut
   * out.
   */
  public static FullGraphPlanner among(
      Worker worker, Graph graph, Model model, TrainSettings settings) {
    Memory scratch = worker.memory();
    int k = worker.group().size();
    boolean summed = k > 1 && settings.knobs().codec().preAggregate();
    long[] own = PartCounts.of(graph, worker.owners(), worker.rank(), summed, scratch).toLongs();
    long[] all = new long[k * own.length];
    System.arraycopy(own, 0, all, worker.rank() * own.length, own.length);
    worker.group().sum(all);
    List<PartCounts> parts =
        IntStream.range(0, k).mapToObj(r -> PartCounts.of(all, r * own.length, k)).toList();
    return new FullGraphPlanner(graph, model, settings, parts, scratch);
  }

  @Override
  public String split() {
    return parts.size() == 1 ? "none" : "graph";
  }

  @Override
  public WorkerPlan plan(int rank) {
    PartLayout layout = PartLayout.of(parts, rank);
    var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth());
    PlannedProgram program = PlannedProgram.of(graph, model, layout, options, scratch);
    var halo = new HaloPlan(layout, program.values(), settings.knobs().codec(), /* trains= */ true);
    var parameters = ParameterPlan.of(model, settings, parts.size(), rank, scratch);
    Sent epoch =
        Sent.NOTHING
            .plus(Kind.HALO, halo.there())
            .plus(Kind.HALO, halo.back())
            .plus(Kind.GRADIENT, parameters.sent())
            .plus(control(parts.size(), rank));
    long sums = parameters.sumMemory();
    for (int cols : program.totals()) {
      SumCost cost = SumCost.ofFloats(cols, parts.size(), rank);
      epoch = epoch.plus(Kind.GRADIENT, cost.sent());
    }
    MemoryNeed memory =
        exactMemory(program, halo)
            .plus(Purpose.PARAMETERS, parameters.memory())
            .plus(Purpose.EXCHANGES, sums)
            .plus(Purpose.VALUES, Memory.padded((long) Integer.BYTES * layout.own().train()));
    Sent once = Sent.NOTHING.plus(Kind.HALO, once(halo));
    return new WorkerPlan(memory, once, epoch, evaluation(program, halo, rank));
  }

  /**
   * What evaluations of a worker take that trains in batches.
   *
   * @param cut whether its part of the graph was cut out already, and is counted elsewhere
   */
  WorkerPlan evaluations(int rank, boolean cut) {
    PartLayout layout = PartLayout.of(parts, rank);
    var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth(), true);
    PlannedProgram program = PlannedProgram.of(graph, model, layout, options, scratch);
    var halo =
        new HaloPlan(layout, program.values(), settings.knobs().codec(), /* trains= */ false);
    Sent once =
        Sent.NOTHING
            .plus(Kind.HALO, model.hops() == 0 ? Sent.Amount.NONE : halo.scales())
            .plus(Kind.EVALUATION, halo.once());
    MemoryNeed memory =
        cut
            ? programMemory(program).plus(Purpose.EXCHANGES, halo.memory(true))
            : exactMemory(program, halo);
    return new WorkerPlan(memory, once, Sent.NOTHING, evaluation(program, halo, rank));
  }

  /** The part of the graph with all that a program over its rows takes. */
  private MemoryNeed exactMemory(PlannedProgram program, HaloPlan halo) {
    MemoryNeed memory = programMemory(program);
    if (parts.size() == 1) {
      return memory;
    }
    PartCounts own = halo.layout().own();
    return memory
        .plus(Purpose.GRAPH, GraphPart.graphBytes(graph, own) + program.layoutBytes())
        .plus(Purpose.FEATURES, GraphPart.featureBytes(graph, own))
        .plus(Purpose.EXCHANGES, halo.memory(settings.evaluateEvery() != 0));
  }

  private static MemoryNeed programMemory(PlannedProgram program) {
    return MemoryNeed.NOTHING
        .plus(Purpose.GRAPH, program.arcBytes())
        .plus(Purpose.VALUES, program.valueBytes());
  }

  private Sent.Amount once(HaloPlan halo) {
    return model.hops() == 0 ? Sent.Amount.NONE : halo.scales().plus(halo.once());
  }

  private Sent evaluation(PlannedProgram program, HaloPlan halo, int rank) {
    Metric wished = settings.metric();
    var labels = TrainableGraph.labels(graph);
    Metric metric = wished == null ? Loss.usualMetric(labels) : wished;
    return EvaluationPlan.of(
            metric, labels, program.outputs(), halo.layout().own(), parts.size(), rank)
        .plus(Kind.EVALUATION, halo.evaluation());
  }

  /** What workers agree on in an epoch: the loss, and whether anybody asks to stop. */
  static Sent control(int workers, int rank) {
    return Sent.NOTHING.plus(Kind.CONTROL, SumCost.ofWords(1, workers, rank).sent().times(2));
  }

  @Override
  public List<String> assumptions() {
    List<String> all = new ArrayList<>();
    if (parts.size() > 1 && settings.knobs().codec().kind().chooses()) {
      all.add(
          "rows of codec "
              + settings.knobs().codec().kind()
              + " are taken to have 4 bits an element in the mean; what choosing widths sends is"
              + " not counted");
    }
    if (settings.scratch() != null) {
      all.add("memory is counted as if none of it lay in files of --scratch");
    }
    return all;
  }
}
