package dev.heddle.cli;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphStatistics;
import dev.heddle.graph.Labels;
import dev.heddle.graph.LongIds;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.StringIds;
import dev.heddle.graph.store.Store;
import dev.heddle.kernel.Matrix;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** What {@code heddle info} says of a graph: facts in groups, as lines or as JSON. */
final class GraphReport {
  private final Map<String, Object> groups = new LinkedHashMap<>();

  private GraphReport() {}

  static GraphReport of(Graph graph, @Nullable Store store, String kind, boolean verified) {
    GraphReport report = new GraphReport();
    GraphStatistics statistics = GraphStatistics.of(graph);
    report.graph(graph, statistics, kind);
    report.degrees(statistics);
    report.arcTypes(graph.arcTypes());
    report.features(graph.features());
    report.labels(graph.labels());
    report.split(graph);
    if (store != null) {
      Map<String, Object> bytes = new LinkedHashMap<>(store.fileBytes());
      bytes.put("total", store.fileBytes().values().stream().mapToLong(Long::longValue).sum());
      report.groups.put("bytes", bytes);
      report.groups.put("verified", verified);
    } else {
      report.groups.put("bytes", Map.of("memory", graph.memory().bytes()));
    }
    return report;
  }

  private Map<String, Object> group(String name) {
    Map<String, Object> group = new LinkedHashMap<>();
    groups.put(name, group);
    return group;
  }

  private void graph(Graph graph, GraphStatistics statistics, String kind) {
    Map<String, Object> group = group("graph");
    group.put("name", graph.name());
    group.put("kind", kind);
    group.put("nodes", graph.vertices());
    group.put("edges", graph.arcs());
    group.put("symmetric", graph.symmetric());
    group.put("weighted", graph.in().weights() != null);
    group.put("selfLoops", statistics.loops());
    group.put("isolated", statistics.isolated());
    group.put("components", statistics.components());
    group.put("largestComponent", statistics.largestComponent());
    if (!Double.isNaN(statistics.homophily())) {
      group.put("homophily", statistics.homophily());
    }
    group.put(
        "ids",
        switch (graph.ids()) {
          case null -> "numbers from 0";
          case LongIds _ -> "whole numbers";
          case StringIds _ -> "text";
        });
  }

  private void degrees(GraphStatistics statistics) {
    Map<String, Object> group = group("inDegrees");
    for (int i = 0; i < GraphStatistics.QUANTILES.size(); i++) {
      double percent = 100 * GraphStatistics.QUANTILES.get(i);
      group.put(Math.round(percent) + "%", statistics.degrees().get(i));
    }
  }

  private void arcTypes(@Nullable ArcTypes types) {
    if (types == null) {
      return;
    }
    Map<String, Object> group = group("arcTypes");
    long[] counts = types.counts();
    for (int type = 0; type < counts.length; type++) {
      if (counts[type] > 0) {
        group.put(types.names().get(type), counts[type]);
      }
    }
  }

  private void features(@Nullable Features features) {
    if (features == null) {
      return;
    }
    Map<String, Object> group = group("features");
    long nonZero =
        switch (features) {
          case DenseFeatures dense -> nonZero(dense.matrix());
          case SparseFeatures sparse -> sparse.byRow().arcs();
        };
    group.put("kind", features instanceof DenseFeatures ? "dense" : "sparse");
    group.put("width", features.width());
    group.put("nonZero", nonZero);
    group.put("density", (double) nonZero / features.rows() / features.width());
  }

  private static long nonZero(Matrix matrix) {
    long count = 0;
    for (int row = 0; row < matrix.rows(); row++) {
      long first = (long) row * matrix.stride();
      for (int col = 0; col < matrix.cols(); col++) {
        count += matrix.data().getAtIndex(JAVA_FLOAT, first + col) != 0 ? 1 : 0;
      }
    }
    return count;
  }

  private void labels(@Nullable Labels labels) {
    if (labels == null) {
      return;
    }
    Map<String, Object> group = group("labels");
    switch (labels) {
      case ClassLabels classes -> {
        long[] sizes = new long[classes.classes()];
        long unknown = 0;
        for (int v = 0; v < classes.rows(); v++) {
          if (classes.at(v) == ClassLabels.NONE) {
            unknown++;
          } else {
            sizes[classes.at(v)]++;
          }
        }
        Arrays.sort(sizes);
        int last = sizes.length - 1;
        group.put("kind", "class");
        group.put("classes", sizes.length);
        group.put("unlabelled", unknown);
        if (last >= 0) {
          group.put("smallestClass", sizes[0]);
          group.put("medianClass", sizes[last / 2]);
          group.put("largestClass", sizes[last]);
          group.put("majorityShare", (double) sizes[last] / Math.max(1, classes.rows() - unknown));
        }
      }
      case MultiLabels multi -> {
        group.put("kind", "multi");
        group.put("labels", multi.width());
        group.put("labelsPerVertex", (double) nonZero(multi.values()) / multi.rows());
      }
      case RealLabels real -> {
        group.put("kind", "real");
        group.put("values", real.width());
      }
    }
  }

  private void split(Graph graph) {
    Split split = graph.split();
    if (split == null) {
      return;
    }
    Map<String, Object> group = group("split");
    group.put("train", part(graph, split.train()));
    group.put("valid", part(graph, split.valid()));
    group.put("test", part(graph, split.test()));
    int rest = graph.vertices() - split.train().length - split.valid().length - split.test().length;
    group.put("unused", rest);
  }

  /** Size, share, and how many of the smallest and the largest class there are. */
  private static Map<String, Object> part(Graph graph, int[] members) {
    Map<String, Object> part = new LinkedHashMap<>();
    part.put("size", members.length);
    part.put("share", (double) members.length / graph.vertices());
    if (graph.labels() instanceof ClassLabels classes && classes.classes() > 0) {
      long[] sizes = new long[classes.classes()];
      for (int v : members) {
        sizes[Math.max(0, classes.at(v))]++;
      }
      Arrays.sort(sizes);
      part.put("smallestClass", sizes[0]);
      part.put("largestClass", sizes[sizes.length - 1]);
    }
    return part;
  }

  String toJson() {
    return new JsonMapper().writeValueAsString(groups);
  }

  void print(PrintWriter out) {
    groups.forEach((name, value) -> {
      if (value instanceof Map<?, ?> facts) {
        out.println(name);
        facts.forEach((fact, of) -> out.printf("  %-18s %s%n", fact, shown(of)));
      } else {
        out.printf("%-20s %s%n", name, shown(value));
      }
    });
  }

  private static String shown(@Nullable Object value) {
    return switch (value) {
      case Long number -> String.format(Locale.ROOT, "%,d", number);
      case Integer number -> String.format(Locale.ROOT, "%,d", number);
      case Double number -> String.format(Locale.ROOT, "%.4f", number);
      case Boolean yes -> yes ? "yes" : "no";
      case Map<?, ?> facts -> {
        List<String> parts = new ArrayList<>();
        facts.forEach((fact, of) -> parts.add(fact + " " + shown(of)));
        yield String.join(", ", parts);
      }
      case null, default -> String.valueOf(value);
    };
  }
}
