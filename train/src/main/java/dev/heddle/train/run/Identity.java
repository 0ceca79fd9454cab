package dev.heddle.train.run;

import dev.heddle.graph.Graph;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelDescription;
import dev.heddle.train.settings.TrainSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** What makes two runs the same, but for how long they last; as strings by key. */
public record Identity(Map<String, String> strings) {
  private static final String FORMAT_KEY = "heddle.checkpoint";
  private static final String GRAPH_KEY = "heddle.graph";
  private static final String TRAIN_PREFIX = "heddle.train.";

  public Identity {
    strings = Map.copyOf(strings);
  }

  public static Identity of(Graph graph, Model model, TrainSettings settings) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(FORMAT_KEY, Checkpoint.FORMAT);
    all.put(GRAPH_KEY, Fingerprint.of(graph));
    all.putAll(ModelDescription.of(model).toMap());
    settings.identity().forEach((key, value) -> all.put(TRAIN_PREFIX + key, value));
    return new Identity(all);
  }

  /** Refuses a file whose metadata say otherwise. */
  void require(Path file, Map<String, String> saved) {
    String format = saved.get(FORMAT_KEY);
    if (format == null) {
      throw new CheckpointException(file, "is no checkpoint");
    }
    if (!format.equals(Checkpoint.FORMAT)) {
      throw new CheckpointException(
          file, "is of format " + format + ", but this Heddle reads format " + Checkpoint.FORMAT);
    }
    saved.forEach((key, there) -> {
      if (key.startsWith(TRAIN_PREFIX) && !strings.containsKey(key)) {
        throw new CheckpointException(
            file,
            "is of a run with "
                + key.substring(TRAIN_PREFIX.length())
                + " "
                + there
                + ", not without");
      }
    });
    strings.forEach((key, here) -> {
      String there = saved.get(key);
      if (here.equals(there)) {
        return;
      }
      if (key.equals(GRAPH_KEY)) {
        throw new CheckpointException(
            file, "is of another graph (" + there + "; this one has " + here + ")");
      }
      String what = key.substring(key.lastIndexOf('.') + 1);
      throw new CheckpointException(
          file, "is of a run with " + what + " " + there + ", not " + here);
    });
  }
}
