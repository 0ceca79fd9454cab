package dev.heddle.train.layers;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.train.LoopRun;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.TrainSettings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A model on a small graph, cut by its layers. */
record LayerCase(Graph graph, ModelSpec spec, TrainSettings settings) {
  static final int FEATURES = 11;
  static final int CLASSES = 4;

  /** A graph of communities. */
  static Graph graph(int vertices, long seed) {
    try (ThreadTeam team = ThreadTeam.of(1)) {
      return CommunityGraph.of(vertices)
          .averageDegree(6)
          .communities(8)
          .classes(CLASSES)
          .width(FEATURES)
          .seed(seed)
          .generate(team);
    }
  }

  /** One stage of so many chunks. */
  static LayerSplit split(int chunks, Compensation compensation, History history) {
    return new LayerSplit(1, 1, chunks, compensation, history);
  }

  /** Costs by which two stages are cut before a section. */
  static List<Long> cutAt(int sections, int second) {
    List<Long> costs = new ArrayList<>(Collections.nCopies(sections, 1L));
    costs.set(second - 1, 100L);
    costs.set(second, 100L);
    return costs;
  }

  static TrainSettings.Builder settings(@Nullable LayerSplit split) {
    return TrainSettings.builder()
        .optimizer(OptimizerKind.SGD)
        .momentum(0)
        .learningRate(0.05f)
        .seed(5)
        .threads(1)
        .knobs(split == null ? Knobs.DEFAULT : Knobs.DEFAULT.withLayers(split));
  }

  /** What one worker has, for as long as it is looked at. */
  record Run(Model model, LayerPipeline pipeline, ThreadTeam team) {
    LayerSteps steps() {
      return (LayerSteps) pipeline.steps();
    }

    List<float[][]> gradients() {
      return model.parameters().all().stream().map(Parameter::grad).map(Matrix::toArray).toList();
    }

    List<float[][]> values() {
      return model.parameters().all().stream().map(Parameter::value).map(Matrix::toArray).toList();
    }

    void zeroGradients() {
      model.parameters().all().forEach(Parameter::zeroGrad);
    }
  }

  /** Looks at the pipeline of one worker, without a training loop around it. */
  void look(Function<Run, ?> at) {
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1);
        LocalGraph local = LocalGraph.of(graph, Worker.alone(graph, team, memory), Knobs.DEFAULT)) {
      Model model = Model.create(spec, local.shape(), memory, settings.seed());
      LayerPipeline pipeline =
          LayerPipeline.of(local, model, settings, Partition.whole(graph.vertices()));
      Object _ = at.apply(new Run(model, pipeline, team));
    }
  }

  /** What is done with a training loop. */
  interface Trained<T> {
    T look(Model model, LoopRun loop);
  }

  /** Looks at training by one worker of so many threads. */
  <T> T train(int threads, Trained<T> at) {
    try (Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(threads)) {
      Model model = Model.create(spec, new Model.Shape(FEATURES, CLASSES), memory, settings.seed());
      try (LoopRun loop = LoopRun.alone(graph, model, settings, team, memory)) {
        return at.look(model, loop);
      }
    }
  }
}
