package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.train.Inference;
import dev.heddle.train.run.Scores;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** {@code heddle evaluate}: scores a trained model again, or on another graph. */
@Command(
    name = "evaluate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Scores a trained model on the split of its graph, or of another.",
    footer = {"", "Example:", "  heddle evaluate runs/20260101-120000-wordnet-sage"})
final class EvaluateCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private SavedRun run = new SavedRun();

  @Option(names = "--json", description = "Print one JSON object as the last line of the output.")
  private boolean json;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    PrintWriter out = spec.commandLine().getOut();
    try (Graph graph = run.open();
        Inference inference = run.inference(graph, null, spec.commandLine().getErr())) {
      Scores scores = inference.evaluate();
      ScoreTable table = new ScoreTable(out, inference.metric().name());
      table.row(inference.model().spec().kind().label(), scores, "on " + graph.name());
      if (json) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("metric", inference.metric().name());
        put(fields, "train", scores.train());
        put(fields, "valid", scores.valid());
        put(fields, "test", scores.test());
        out.println(new JsonMapper().writeValueAsString(fields));
      }
    }
    return 0;
  }

  /** JSON has no NaN: the score of an empty part is left out. */
  private static void put(Map<String, Object> fields, String key, double value) {
    if (!Double.isNaN(value)) {
      fields.put(key, value);
    }
  }
}
