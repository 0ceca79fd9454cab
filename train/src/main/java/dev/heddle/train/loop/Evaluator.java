package dev.heddle.train.loop;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.graph.Labels;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.AdditiveMetric;
import dev.heddle.nn.Metric;
import dev.heddle.nn.RocAuc;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Step;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.run.Scores;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Exact scores and predictions: the model over all rows of the graph, each worker with its own, no
 * sampling and no rounding on the way. Scores are sums over all workers, the same bits at each.
 */
public final class Evaluator {
  private final LocalGraph local;
  private final Metric metric;
  private final Supplier<Program> program;
  private final Step step = new Step(0).evaluate();

  /**
   * Scores by a metric.
   *
   * @param program over this worker's rows; asked for at every evaluation, so that it can be made
   *     at the first
   */
  public Evaluator(LocalGraph local, Metric metric, Supplier<Program> program) {
    this.local = local;
    this.metric = metric;
    this.program = program;
  }

  public Metric metric() {
    return metric;
  }

  /** The metric on the three parts of the split, with the parameters as they are. */
  public Scores evaluate() {
    Lane lane = local.worker().lane();
    lane.begin(Stage.EVALUATE);
    Matrix output = predict();
    Split split = local.split();
    var scores =
        new Scores(
            score(output, split.train()),
            score(output, split.valid()),
            score(output, split.test()));
    lane.end();
    return scores;
  }

  /** The model's outputs for this worker's rows; overwritten by the next step or evaluation. */
  public Matrix predict() {
    Lane lane = local.worker().lane();
    lane.begin(Stage.EVALUATE);
    Program run = program.get();
    run.forward(step);
    lane.end();
    return run.output();
  }

  /** The metric over the given rows of all workers. */
  private double score(Matrix output, int[] rows) {
    return switch (metric) {
      case AdditiveMetric additive -> {
        double[] tally = additive.tally(output, local.labels(), rows);
        local.worker().lane().beginWait();
        local.worker().group().sum(tally);
        local.worker().lane().end();
        yield additive.of(tally, local.labels());
      }
      case RocAuc auc when local.worker().isAlone() -> auc.evaluate(output, local.labels(), rows);
      case RocAuc auc -> area(auc, output, rows);
    };
  }

  /** Rankings are of all rows: everyone gets a key of each. */
  private double area(RocAuc auc, Matrix output, int[] rows) {
    Labels labels = local.labels();
    Group group = local.worker().group();
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
    try (Memory gathered = local.worker().memory().child()) {
      MemorySegment bytes = gathered.allocateLongs(all).asSlice(0, offsets[group.size()]);
      for (int label = 0; label < auc.rankings(output, labels); label++) {
        auc.rank(output, labels, rows, label, keys);
        MemorySegment.copy(keys, 0, bytes, JAVA_LONG, offsets[group.rank()], rows.length);
        group.allGather(Kind.EVALUATION, bytes, offsets);
        MemorySegment.copy(bytes, JAVA_LONG, 0, keys, 0, all);
        double area = RocAuc.area(keys, all);
        if (!Double.isNaN(area)) {
          sum += area;
          defined++;
        } else if (RocAuc.hasUnranked(keys, all)) {
          return Double.NaN;
        }
      }
    }
    return sum / defined;
  }
}
