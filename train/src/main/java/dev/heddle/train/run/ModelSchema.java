package dev.heddle.train.run;

import dev.heddle.graph.FeatureScaling;
import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a model was trained on: by this, columns and classes of another graph are matched by name.
 * Its JSON stands in the metadata of model files; docs/model-schema.md describes it.
 *
 * @param outputs what classes, labels or numbers are called; empty where they have numbers alone
 * @param width columns of the features
 * @param features what these are called, and what was done to them
 * @param bothWays whether every arc had a reverse
 */
public record ModelSchema(
    List<String> outputs, int width, FeatureSchema features, boolean bothWays) {
  /** Its place in the metadata of a model file. */
  static final String KEY = "heddle.schema";

  private static final int VERSION = 1;
  private static final JsonMapper JSON = new JsonMapper();

  public ModelSchema {
    outputs = List.copyOf(outputs);
  }

  /** The schema of a model that is trained on a graph. */
  public static ModelSchema of(Graph graph) {
    Labels labels = graph.labels();
    int width = graph.features() == null ? 0 : graph.features().width();
    return new ModelSchema(
        labels == null ? List.of() : graph.classNames(),
        width,
        graph.featureSchema(),
        graph.bothWays());
  }

  /** What an output is called: its number where it has no name. */
  public String outputName(int number) {
    return number < outputs.size() ? outputs.get(number) : Integer.toString(number);
  }

  String toJson() {
    ObjectNode root = JSON.createObjectNode();
    root.put("version", VERSION);
    if (!outputs.isEmpty()) {
      outputs.forEach(root.putArray("outputs")::add);
    }
    ObjectNode node = root.putObject("features");
    node.put("width", width);
    node.put("scaling", features.scaling().label());
    if (!features.names().isEmpty()) {
      features.names().forEach(node.putArray("names")::add);
    }
    root.put("arcs", bothWays ? "both-ways" : "one-way");
    return JSON.writeValueAsString(root);
  }

  /**
   * Reads {@link #toJson}; {@link IllegalArgumentException} says what is wrong.
   *
   * @param outputCount outputs of the model that the schema is of
   */
  static ModelSchema parse(String json, int outputCount) {
    JsonNode root;
    try {
      root = JSON.readTree(json);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("its " + KEY + " is not JSON", e);
    }
    int version = root.path("version").asInt(0);
    require(version >= 1, "it has no version");
    require(version <= VERSION, "it is of version " + version + ", newer than " + VERSION);
    List<String> outputs = texts(root.path("outputs"), "outputs");
    require(
        outputs.isEmpty() || outputs.size() == outputCount,
        outputs.size() + " names for " + outputCount + " outputs");
    JsonNode node = root.path("features");
    List<String> names = texts(node.path("names"), "features.names");
    int width = node.path("width").asInt(-1);
    require(width >= 0, "features have no width");
    require(
        names.isEmpty() || names.size() == width,
        names.size() + " names for " + width + " columns");
    FeatureScaling scaling = FeatureScaling.named(node.path("scaling").asString(""));
    String arcs = root.path("arcs").asString("");
    require(arcs.equals("both-ways") || arcs.equals("one-way"), "arcs go '" + arcs + "'");
    if (scaling == null) {
      throw new IllegalArgumentException(
          "its " + KEY + " is wrong: features.scaling is " + node.path("scaling"));
    }
    return new ModelSchema(
        outputs, width, new FeatureSchema(names, scaling), arcs.equals("both-ways"));
  }

  private static List<String> texts(JsonNode node, String what) {
    Set<String> texts = new LinkedHashSet<>();
    require(node.isMissingNode() || node.isArray(), what + " is no list");
    for (JsonNode each : node) {
      require(each.isString(), what + " holds " + each);
      require(texts.add(each.stringValue()), what + " has " + each + " twice");
    }
    return List.copyOf(texts);
  }

  private static void require(boolean condition, String fault) {
    if (!condition) {
      throw new IllegalArgumentException("its " + KEY + " is wrong: " + fault);
    }
  }
}
