package dev.heddle.cli;

import dev.heddle.comm.Group;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.Baselines;
import dev.heddle.train.Training;
import dev.heddle.train.run.Scores;
import dev.heddle.train.settings.TrainSettings;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a model has to beat: the graph without features, and the features without the graph. */
final class BaselineRuns {
  private static final int MLP_EPOCHS = 40;

  private BaselineRuns() {}

  static Map<String, Scores> of(StartedRun run, ModelSpec model, TrainSettings settings) {
    Graph graph = run.graph();
    Map<String, Scores> scores = new LinkedHashMap<>();
    ModelSpec mlp =
        ModelSpec.of(ModelKind.MLP).hidden(model.hidden()).dropout(model.dropout()).build();
    TrainSettings brief =
        TrainSettings.builder()
            .epochs(Math.min(MLP_EPOCHS, settings.epochs()))
            .seed(settings.seed())
            .threads(settings.threads())
            .metric(settings.metric())
            .evaluateEvery(2)
            .build();
    Partition whole = Partition.whole(graph.vertices());
    try (Training training =
        Training.within(run.budget(), graph, mlp, brief, Group.alone(), whole)) {
      scores.put("mlp (no graph)", training.run().scores());
      try (Baselines baselines = Baselines.of(graph, training.metric(), run.budget().child());
          ThreadTeam team = ThreadTeam.of(settings.threads())) {
        scores.put("label propagation", baselines.labelPropagation(team));
        scores.put("majority class", baselines.majority());
      }
    }
    return scores;
  }
}
