package dev.heddle.cli;

import dev.heddle.graph.Graph;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph and what its vertices and classes are called.
 *
 * @param names of vertices, by {@link Graph#userIndex}; those of the graph where there are none
 * @param classNames by class; empty if classes have none
 */
record OpenGraph(Graph graph, @Nullable Names names, List<String> classNames)
    implements AutoCloseable {
  OpenGraph {
    classNames = List.copyOf(classNames);
  }

  /** What the user calls a vertex. */
  interface Names {
    String of(int userIndex);
  }

  /** A graph whose vertices are called as it says. */
  static OpenGraph unnamed(Graph graph) {
    return new OpenGraph(graph, null, List.of());
  }

  /** What the user calls a vertex. */
  String name(int userIndex) {
    return names == null ? graph.idOf(graph.localIndex(userIndex)) : names.of(userIndex);
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
