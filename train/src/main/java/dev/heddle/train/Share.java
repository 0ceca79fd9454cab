package dev.heddle.train;

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

/** What one worker has of full-graph training, and how its results become everyone's. */
sealed interface Share extends AutoCloseable permits WholeGraph, PartOfGraph {
  /** The model over this worker's rows. */
  Program record(Model model, Recorder.Options options, Memory memory);

  /** Labels of this worker's rows. */
  Labels labels();

  /** This worker's rows of the split. */
  Split split();

  /** Training vertices of all workers. */
  long trainVertices();

  /** The sum over all workers. */
  double sum(double value);

  /** Replaces the parameters' gradients by their sums over all workers. */
  void sumGradients(List<Parameter> parameters);

  /** A metric over the given rows of all workers. */
  double score(Metric metric, Matrix output, int[] rows);

  /** Rows of all vertices in the graph's order, of which each worker has its own; all call it. */
  float[][] gather(Matrix own);

  /** How many have one. */
  int workers();

  /** Whether any worker says so; all get the same answer. */
  boolean any(boolean here);

  /** Whether this worker writes what all have come to. */
  boolean leads();

  /** Is told that an epoch begins; all workers call it. */
  default void before(int epoch) {}

  /** Is told that it has ended. */
  default void after() {}

  /** How rows travelled during epochs so far; all workers call it. */
  default HaloReport halo() {
    return HaloReport.NOTHING;
  }

  /** Says how far this worker is, for errors that all are told; both are counted from 1. */
  void at(int epoch, int step);

  /** What all workers have sent so far. */
  Sent sent();

  /** What columns come in and go out. */
  Model.Shape shape();

  @Override
  default void close() {}
}
