package dev.heddle.train.run;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.FeatureScaling;
import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.Shown;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A graph as a model wants it: columns of features and classes by the names that both have, rows
 * scaled as in training. What cannot be made so is refused with the names that differ; what cannot
 * be known is a warning.
 */
public final class SchemaMatch {
  private static final int SHOWN = 8;

  private final ModelFile model;
  private final ModelSchema schema;
  private final Graph graph;
  private final Memory memory;
  private final List<String> warnings = new ArrayList<>();
  private final Graph matched;
  private @Nullable String labelFault;

  private SchemaMatch(ModelFile model, ModelSchema schema, Graph graph, Memory memory) {
    this.model = model;
    this.schema = schema;
    this.graph = graph;
    this.memory = memory;
    Features features = features();
    FeatureSchema done = new FeatureSchema(schema.features().names(), schema.features().scaling());
    Labels labels = labels();
    if (schema.bothWays() != graph.bothWays()) {
      warnings.add(
          "the model was trained on arcs that go "
              + ways(schema.bothWays())
              + "; those of "
              + graph.name()
              + " go "
              + ways(graph.bothWays()));
    }
    matched = graph.with(features, done, labels, labels == null ? List.of() : names());
  }

  /**
   * Matches a graph with a model; what does not fit is an {@link IllegalArgumentException}.
   *
   * @param memory for columns and labels that are made anew
   */
  public static SchemaMatch of(ModelFile model, Graph graph, Memory memory) {
    ModelSchema schema = model.schema();
    if (schema != null) {
      return new SchemaMatch(model, schema, graph, memory);
    }
    // A model of a version that noted nothing: its outputs are called as the graph calls classes.
    int outputs = model.model().shape().outputs();
    List<String> names = graph.classNames().size() == outputs ? graph.classNames() : List.of();
    ModelSchema assumed =
        new ModelSchema(
            names,
            model.model().shape().features(),
            new FeatureSchema(graph.featureSchema().names(), FeatureScaling.UNKNOWN),
            graph.bothWays());
    if (assumed.width() != width(graph)) {
      assumed = new ModelSchema(names, assumed.width(), FeatureSchema.UNKNOWN, assumed.bothWays());
    }
    SchemaMatch match = new SchemaMatch(model, assumed, graph, memory);
    match.warnings.clear();
    match.warnings.add(
        "the model does not say what it was trained on (an older Heddle wrote it): columns and"
            + " classes are taken in the order of "
            + graph.name()
            + ", rows as they are");
    return match;
  }

  /** The graph with features, and labels where they are known, as the model has them. */
  public Graph graph() {
    return matched;
  }

  /** The model's schema; of an older file, what the graph says in its place. */
  public ModelSchema schema() {
    return schema;
  }

  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  /** Refuses labels that the model cannot be judged by. */
  public void requireLabels() {
    if (labelFault != null) {
      throw new IllegalArgumentException(labelFault);
    }
  }

  private static int width(Graph graph) {
    return graph.features() == null ? 0 : graph.features().width();
  }

  private Features features() {
    Features features = graph.features();
    if (features == null) {
      throw new IllegalArgumentException(graph.name() + " has no features");
    }
    List<String> wanted = schema.features().names();
    List<String> there = graph.featureSchema().names();
    FeatureScaling found = graph.featureSchema().scaling();
    if (wanted.isEmpty() || there.isEmpty()) {
      requireWidth(features);
      if (wanted.isEmpty() != there.isEmpty()) {
        warnings.add(
            "columns are matched by position: only "
                + (wanted.isEmpty() ? graph.name() : "the model")
                + " has names of features");
      }
    } else if (!wanted.equals(there)) {
      features = features.columns(memory, columns(wanted, there));
    }
    return scaled(features, found);
  }

  private void requireWidth(Features features) {
    if (features.width() != schema.width()) {
      throw new IllegalArgumentException(
          "wants features of width "
              + schema.width()
              + ", but "
              + graph.name()
              + " has "
              + features.width());
    }
  }

  /** Where each wanted column is among those that are there. */
  private int[] columns(List<String> wanted, List<String> there) {
    Map<String, Integer> places = places(there);
    List<String> missing = wanted.stream().filter(name -> !places.containsKey(name)).toList();
    List<String> more = without(there, wanted);
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException(
          graph.name()
              + " lacks features of the model: "
              + shown(missing)
              + (more.isEmpty() ? "" : "; it has others: " + shown(more)));
    }
    if (!more.isEmpty()) {
      if (graph.featureSchema().scaling() == FeatureScaling.ROW_SUM) {
        throw new IllegalArgumentException(
            graph.name()
                + " was divided by sums of rows that count features the model does not know: "
                + shown(more));
      }
      warnings.add("features that the model does not know are left out: " + shown(more));
    }
    return wanted.stream().mapToInt(name -> Objects.requireNonNull(places.get(name))).toArray();
  }

  private Features scaled(Features features, FeatureScaling found) {
    FeatureScaling wanted = schema.features().scaling();
    if (wanted == found) {
      return features;
    }
    if (wanted == FeatureScaling.UNKNOWN || found == FeatureScaling.UNKNOWN) {
      warnings.add(
          "whether rows of features were divided by their sums is "
              + wanted.label()
              + " of the model and "
              + found.label()
              + " of "
              + graph.name());
      return features;
    }
    if (wanted == FeatureScaling.ROW_SUM) {
      return features.rowNormalised(memory);
    }
    throw new IllegalArgumentException(
        "the model was trained on features as they are, but the rows of "
            + graph.name()
            + " were divided by their sums");
  }

  /** What the model's outputs are called, each by a name. */
  private List<String> names() {
    int outputs = model.model().shape().outputs();
    return IntStream.range(0, outputs).mapToObj(schema::outputName).toList();
  }

  /** The graph's labels by the model's numbers; none where they are of other classes. */
  private @Nullable Labels labels() {
    Labels labels = graph.labels();
    if (labels == null) {
      labelFault = graph.name() + " has no labels";
      return null;
    }
    if (Task.of(labels) != model.task()) {
      labelFault =
          "the model's outputs are "
              + model.task()
              + ", the labels of "
              + graph.name()
              + " "
              + Task.of(labels);
      return null;
    }
    List<String> wanted = names();
    List<String> there = IntStream.range(0, labels.width()).mapToObj(graph::className).toList();
    if (wanted.equals(there)) {
      return labels;
    }
    boolean named = !schema.outputs().isEmpty() && !graph.classNames().isEmpty();
    Map<String, Integer> places = places(wanted);
    List<String> unknown = there.stream().filter(name -> !places.containsKey(name)).toList();
    if (!unknown.isEmpty() && !named && labels.width() == wanted.size()) {
      warnings.add(
          "classes are matched by number: only "
              + (schema.outputs().isEmpty() ? graph.name() : "the model")
              + " has names of them");
      return labels;
    }
    if (!unknown.isEmpty()) {
      labelFault =
          graph.name()
              + " has classes that the model does not know: "
              + shown(unknown)
              + "; it knows "
              + shown(wanted);
      return null;
    }
    int[] numbers =
        there.stream().mapToInt(name -> Objects.requireNonNull(places.get(name))).toArray();
    return renumbered(labels, numbers, wanted, there);
  }

  private @Nullable Labels renumbered(
      Labels labels, int[] numbers, List<String> wanted, List<String> there) {
    if (labels instanceof ClassLabels classes) {
      int[] values = new int[classes.rows()];
      for (int v = 0; v < values.length; v++) {
        values[v] = classes.at(v) == ClassLabels.NONE ? ClassLabels.NONE : numbers[classes.at(v)];
      }
      return ClassLabels.of(memory, values, wanted.size());
    }
    if (there.size() != wanted.size()) {
      labelFault = graph.name() + " lacks labels of the model: " + shown(without(wanted, there));
      return null;
    }
    int[] sources = new int[numbers.length];
    for (int i = 0; i < numbers.length; i++) {
      sources[numbers[i]] = i;
    }
    return switch (labels) {
      case ClassLabels classes -> classes;
      case MultiLabels multi -> new MultiLabels(columns(multi.values(), sources));
      case RealLabels real -> new RealLabels(columns(real.values(), sources));
    };
  }

  private Matrix columns(Matrix matrix, int[] sources) {
    Matrix chosen = Matrix.allocate(memory, matrix.rows(), sources.length);
    for (int row = 0; row < matrix.rows(); row++) {
      for (int c = 0; c < sources.length; c++) {
        chosen.set(row, c, matrix.get(row, sources[c]));
      }
    }
    return chosen;
  }

  private static Map<String, Integer> places(List<String> names) {
    Map<String, Integer> places = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      places.put(names.get(i), i);
    }
    return places;
  }

  private static List<String> without(List<String> names, List<String> others) {
    Map<String, Integer> places = places(others);
    return names.stream().filter(name -> !places.containsKey(name)).toList();
  }

  private static String shown(List<String> names) {
    String some = names.stream().limit(SHOWN).map(Shown::field).collect(Collectors.joining(", "));
    return names.size() <= SHOWN ? some : some + " and " + (names.size() - SHOWN) + " more";
  }

  private static String ways(boolean both) {
    return both ? "both ways" : "one way";
  }
}
