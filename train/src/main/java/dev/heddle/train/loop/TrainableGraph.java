package dev.heddle.train.loop;

import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.Split;
import org.jspecify.annotations.Nullable;

/** What a graph must have to be trained on, and what to say where it has not. */
public final class TrainableGraph {
  private TrainableGraph() {}

  public static Features features(Graph graph) {
    return required(graph, graph.features(), "features");
  }

  public static Labels labels(Graph graph) {
    return required(graph, graph.labels(), "labels");
  }

  public static Split split(Graph graph) {
    Split split = required(graph, graph.split(), "split");
    if (split.train().length == 0) {
      throw new IllegalArgumentException(graph.name() + " has no training vertices");
    }
    return split;
  }

  static <T> T required(Graph graph, @Nullable T part, String what) {
    if (part == null) {
      throw new IllegalArgumentException(graph.name() + " has no " + what + " to train with");
    }
    return part;
  }
}
