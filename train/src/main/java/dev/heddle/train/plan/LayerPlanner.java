package dev.heddle.train.plan;

import dev.heddle.comm.Codec;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.comm.SumCost;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.PartCounts;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Travelling;
import dev.heddle.nn.program.Value;
import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.layers.Place;
import dev.heddle.train.layers.StageModel;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.CodecKind;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Plans training by stages of layers, for the worker that asks (GNNPipe, arXiv 2308.10087). Of rows
 * it sends {@code 2 N (H + H') · 4} bytes across each boundary of stages and {@code 2 L M H · 4} to
 * the other ways of its stage; of memory it takes, for each value that is aggregated, all rows of
 * this epoch, whose place gradients take, and all rows of history, and of element-wise values what
 * one chunk needs.
 */
final class LayerPlanner implements SplitPlanner {
  private final Graph graph;
  private final LayerDivision division;
  private final TrainSettings settings;
  private final Worker worker;
  private final ChunkLayout layout;
  private final List<PlannedProgram> programs = new ArrayList<>();

  /** What crosses into this stage and out of it, which is alike for all chunks. */
  private List<Value> comes = List.of();

  private List<Value> goes = List.of();

  /** Plans by a division, before anything is cut out. */
  LayerPlanner(Graph graph, LayerDivision division, TrainSettings settings, Worker worker) {
    this.graph = graph;
    this.division = division;
    this.settings = settings;
    this.worker = worker;
    layout = ChunkLayout.of(graph, division, worker.memory());
    var options =
        new Recorder.Options(settings.cacheConstants(), settings.halfWidth()).recomputing();
    StageModel stage = division.stage();
    for (int c = 0; c < layout.chunks().size(); c++) {
      programs.add(
          PlannedProgram.ofStage(
              graph, stage, layout.layout(c), options, this::crosses, worker.memory()));
    }
  }

  private void crosses(StageModel.Recorded recorded) {
    comes = division.place().isFirst() ? List.of() : recorded.in();
    goes = division.place().isLast() ? List.of() : recorded.out();
  }

  @Override
  public String split() {
    return settings.knobs().split().toString();
  }

  @Override
  public WorkerPlan plan(int rank) {
    if (rank != worker.rank()) {
      throw new IllegalArgumentException("each worker plans its own stage");
    }
    Place place = division.place();
    int workers = worker.group().size();
    List<ParameterPlan.Share> shares = new ArrayList<>();
    for (ParameterPlacement.Share share : division.placement().shares()) {
      shares.add(
          new ParameterPlan.Share(
              share.parameters(), share.sharers().size(), share.sharers().rank()));
    }
    Model model = division.stage().model();
    var parameters = ParameterPlan.of(model, settings, shares, worker.memory());
    Sent epoch =
        forward(codec(), Kind.BOUNDARY, Kind.HALO)
            .plus(backward())
            .plus(Kind.GRADIENT, parameters.sent())
            .plus(FullGraphPlanner.control(workers, rank));
    if (settings.clipNorm() != 0 && !division.placement().isReplicated()) {
      int norms = model.parameters().all().size();
      epoch = epoch.plus(Kind.CONTROL, SumCost.ofWords(norms, workers, rank).sent());
    }
    MemoryNeed memory =
        MemoryNeed.NOTHING
            .plus(Purpose.GRAPH, graphBytes())
            .plus(Purpose.FEATURES, featureBytes())
            .plus(Purpose.VALUES, valueBytes(place))
            .plus(Purpose.PARAMETERS, parameters.memory())
            .plus(Purpose.EXCHANGES, parameters.sumMemory() + exchangeBytes());
    return new WorkerPlan(memory, once(), epoch, evaluation(rank));
  }

  private CodecKind codec() {
    return settings.knobs().codec().kind();
  }

  private List<Travelling> travelling() {
    return programs.getFirst().values();
  }

  /** Rows handed on to the next stage, and those that other ways mirror. */
  private Sent forward(CodecKind codec, Kind handed, Kind mirrored) {
    Sent sent = Sent.NOTHING;
    for (Value value : goes) {
      sent = sent.plus(handed, layout.crossing(codec.rowBytes(value.cols())));
    }
    for (Travelling value : travelling()) {
      if (!value.once()) {
        sent = sent.plus(mirrored, layout.mirrored(false, codec.rowBytes(value.cols())));
      }
    }
    return sent;
  }

  /** Gradients, to the stage before and to owners of mirrors. */
  private Sent backward() {
    Sent sent = Sent.NOTHING;
    for (Value value : comes) {
      sent = sent.plus(Kind.BOUNDARY, layout.crossing(codec().rowBytes(value.cols())));
    }
    for (Travelling value : travelling()) {
      if (!value.once() && value.learnt()) {
        sent = sent.plus(Kind.HALO, layout.mirrored(true, codec().rowBytes(value.cols())));
      }
    }
    return sent;
  }

  /** The first history, by an exact forward; degrees of mirrors, and rows that never change. */
  private Sent once() {
    Sent sent = forward(CodecKind.FP32, Kind.EVALUATION, Kind.EVALUATION);
    sent = sent.plus(Kind.HALO, layout.mirrored(false, CodecKind.FP32.rowBytes(1)));
    for (Travelling value : travelling()) {
      if (value.once()) {
        long row = CodecKind.FP32.rowBytes(value.cols());
        sent = sent.plus(Kind.EVALUATION, layout.mirrored(false, row));
      }
    }
    return sent;
  }

  private Sent evaluation(int rank) {
    Metric wished = settings.metric();
    var labels = TrainableGraph.labels(graph);
    Metric metric = wished == null ? Loss.usualMetric(labels) : wished;
    PartCounts scored =
        PartCounts.of(graph, worker.owners(), rank, /* summed= */ false, worker.memory());
    int outputs = labels.width();
    return EvaluationPlan.of(metric, labels, outputs, scored, worker.group().size(), rank)
        .plus(forward(CodecKind.FP32, Kind.EVALUATION, Kind.EVALUATION));
  }

  /** Arcs and labels of chunks, and names of rows; what is scored has labels once more. */
  private long graphBytes() {
    long bytes = 0;
    boolean whole = layout.layout(0).alone();
    for (int c = 0; c < programs.size(); c++) {
      int sources = layout.layout(c).sources();
      bytes += programs.get(c).chunkArcBytes() + names(sources);
      if (!whole) {
        bytes += GraphPart.graphBytes(graph, layout.chunks().get(c)) + names(sources);
      }
      bytes += division.place().isLast() ? names(layout.chunks().get(c).vertices()) : 0;
    }
    if (!worker.isAlone()) {
      bytes += GraphPart.outputBytes(graph, worker.owners().members(worker.rank()).length);
    }
    return bytes + (layout.severalWays() ? names(layout.all()) : 0);
  }

  private static long names(int rows) {
    return Memory.padded((long) Integer.BYTES * rows);
  }

  private long featureBytes() {
    if (layout.layout(0).alone() || !division.stage().readsFeatures()) {
      return 0;
    }
    return layout.chunks().stream().mapToLong(c -> GraphPart.featureBytes(graph, c)).sum();
  }

  private long valueBytes(Place place) {
    long bytes = programs.stream().mapToLong(PlannedProgram::passingBytes).max().orElse(0);
    bytes += programs.stream().mapToLong(PlannedProgram::lastingBytes).sum();
    boolean carries = division.compensation() == LayerSplit.Compensation.CARRIED;
    for (Travelling value : travelling()) {
      long rows = matrix(layout.all(), value.cols());
      // Rows of this epoch, whose place gradients take, and those of history.
      bytes += value.once() ? rows : 2 * rows;
      if (carries && value.learnt()) {
        for (PartCounts chunk : layout.chunks()) {
          bytes += matrix(chunk.haloRows(), value.cols());
        }
      }
    }
    if (place.isLast()) {
      bytes += layout.chunks().stream().mapToLong(chunk -> names(chunk.train())).sum();
    }
    int scored =
        worker.isAlone() ? graph.vertices() : worker.owners().members(worker.rank()).length;
    return bytes + matrix(scored, TrainableGraph.labels(graph).width());
  }

  private static long matrix(int rows, int cols) {
    return Memory.padded(Matrix.bytes(rows, cols));
  }

  /** Rounded rows have exchanges beside those of rows as they are, which evaluations need. */
  private long exchangeBytes() {
    boolean rounds = codec().rounds();
    long bytes = exchangeBytes(Codec.FP32, !rounds, _ -> true);
    return rounds
        ? bytes + exchangeBytes(Codec.Quantised.of(codec().bits(), null), true, v -> !v.once())
        : bytes;
  }

  private long exchangeBytes(Codec codec, boolean back, Predicate<Travelling> which) {
    long bytes = 0;
    for (Value value : comes) {
      bytes += layout.boundaryBytes(codec, false, value.cols(), back);
    }
    for (Value value : goes) {
      bytes += layout.boundaryBytes(codec, true, value.cols(), back);
    }
    int[] there = travelling().stream().filter(which).mapToInt(Travelling::cols).toArray();
    int[] learnt =
        travelling().stream()
            .filter(which.and(v -> back && v.learnt() && !v.once()))
            .mapToInt(Travelling::cols)
            .toArray();
    return bytes + layout.mirrorBytes(codec, there, learnt);
  }

  @Override
  public List<String> assumptions() {
    List<String> all = new ArrayList<>();
    int twice = Objects.requireNonNull(settings.layers()).history().twice();
    if (twice > 0) {
      all.add(
          "epochs are taken to go forward once; every "
              + twice
              + ", by --forward-twice, sends its rows forward once more");
    }
    if (settings.scratch() != null) {
      all.add("memory is counted as if none of it lay in files of --scratch");
    }
    return all;
  }
}
