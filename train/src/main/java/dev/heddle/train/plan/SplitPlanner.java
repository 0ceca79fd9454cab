package dev.heddle.train.plan;

import java.util.List;

/** Plans what each worker takes and sends, for one way of splitting the work among them. */
public sealed interface SplitPlanner permits FullGraphPlanner, BatchPlanner {
  /** How the work is split: the name of the knob's value. */
  String split();

  /** What a worker takes and sends. */
  WorkerPlan plan(int rank);

  /** What is not counted but taken to be so, a sentence each. */
  List<String> assumptions();
}
