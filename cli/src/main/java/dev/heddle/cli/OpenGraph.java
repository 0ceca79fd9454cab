package dev.heddle.cli;

import dev.heddle.graph.Graph;
import java.util.List;

/**
 * A graph and what its vertices and classes are called.
 *
 * @param names of vertices, by {@link Graph#userIndex}
 * @param classNames by class; empty if classes have none
 */
record OpenGraph(Graph graph, Names names, List<String> classNames) implements AutoCloseable {
  OpenGraph {
    classNames = List.copyOf(classNames);
  }

  /** What the user calls a vertex. */
  interface Names {
    String of(int userIndex);
  }

  static OpenGraph unnamed(Graph graph) {
    return new OpenGraph(graph, Integer::toString, List.of());
  }

  /** A class's name, or its number. */
  String className(int number) {
    return number < classNames.size() ? classNames.get(number) : Integer.toString(number);
  }

  @Override
  public void close() {
    graph.close();
  }
}
