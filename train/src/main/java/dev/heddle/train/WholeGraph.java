package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import java.util.List;

/** The share of the only worker: everything. */
record WholeGraph(Graph graph, Labels labels, Split split) implements Share {
  static WholeGraph of(Graph graph) {
    return new WholeGraph(graph, TrainableGraph.labels(graph), TrainableGraph.split(graph));
  }

  @Override
  public Program record(Model model, Recorder.Options options, Memory memory) {
    return FullGraphProgram.record(graph, model, options, memory);
  }

  @Override
  public long trainVertices() {
    return split.train().length;
  }

  @Override
  public double sum(double value) {
    return value;
  }

  @Override
  public void sumGradients(List<Parameter> parameters) {}

  @Override
  public double score(Metric metric, Matrix output, int[] rows) {
    return metric.evaluate(output, labels, rows);
  }

  @Override
  public float[][] gather(Matrix own) {
    return own.toArray();
  }

  @Override
  public int workers() {
    return 1;
  }

  @Override
  public boolean any(boolean here) {
    return here;
  }

  @Override
  public boolean leads() {
    return true;
  }

  @Override
  public void at(int epoch, int step) {}

  @Override
  public Sent sent() {
    return Sent.NOTHING;
  }

  @Override
  public Model.Shape shape() {
    return new Model.Shape(TrainableGraph.features(graph).width(), labels.width());
  }
}
