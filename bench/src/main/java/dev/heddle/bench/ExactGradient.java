package dev.heddle.bench;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelDescription;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.FullGraphSteps;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.Knobs;
import java.nio.file.Path;

/**
 * The gradient of the loss over all training vertices at the parameters of a checkpoint: one worker
 * that has the whole graph goes forward and back with rows as they are, whatever the run that wrote
 * the checkpoint did to its rows.
 */
final class ExactGradient implements AutoCloseable {
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final LocalGraph local;
  private final Model model;
  private final FullGraphSteps steps;

  /**
   * Gradients of one model.
   *
   * @param checkpoint of a run on this graph without dropout, which says what model it is
   */
  ExactGradient(Graph graph, Path checkpoint) {
    local = LocalGraph.of(graph, Worker.alone(graph, team, memory), Knobs.DEFAULT);
    try (Safetensors saved = Safetensors.open(checkpoint)) {
      ModelDescription description = ModelDescription.of(saved.metadata(), null);
      if (description.spec().dropout() != 0 || description.spec().inputDropout() != 0) {
        throw new IllegalArgumentException("dropout makes the loss another one in every epoch");
      }
      model = Model.create(description.spec(), local.shape(), memory, 0);
    }
    Program program = local.record(model, Recorder.Options.DEFAULT).allocate(memory, team);
    steps = new FullGraphSteps(local, program);
  }

  /** Its squared Euclidean norm over all parameters together. */
  double squaredNorm(Path checkpoint) {
    try (Safetensors saved = Safetensors.open(checkpoint).verified()) {
      model.parameters().state().forEach((name, m) -> saved.read("model." + name, m));
    }
    model.parameters().all().forEach(Parameter::zeroGrad);
    int _ = steps.begin(1);
    double _ = steps.next().run(team, new Step(0).train(1, 0));
    steps.end();
    double sum = 0;
    for (Parameter parameter : model.parameters().all()) {
      Matrix gradient = parameter.grad();
      for (float[] row : gradient.toArray()) {
        for (float value : row) {
          sum += (double) value * value;
        }
      }
    }
    return sum;
  }

  @Override
  public void close() {
    steps.close();
    local.close();
    team.close();
    memory.close();
  }
}
