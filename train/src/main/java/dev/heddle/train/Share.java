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
sealed interface Share permits WholeGraph, PartOfGraph {
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

  /** What columns come in and go out. */
  Model.Shape shape();
}
