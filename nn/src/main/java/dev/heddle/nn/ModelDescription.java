package dev.heddle.nn;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that is needed to build a model again before its weights are read: a specification and the
 * columns that come in and go out; as strings, for the metadata of weight files. Of a {@link
 * CustomNetwork} only its name is there.
 */
public record ModelDescription(ModelSpec spec, Model.Shape shape) {
  private static final String PREFIX = "heddle.model.";
  private static final String CUSTOM = "custom";

  public static ModelDescription of(Model model) {
    return new ModelDescription(model.spec(), model.shape());
  }

  /** The description as metadata. */
  public Map<String, String> toMap() {
    Map<String, String> map = new LinkedHashMap<>();
    boolean custom = spec.kind() instanceof CustomNetwork;
    put(map, "kind", custom ? CUSTOM : spec.kind().label());
    put(map, "features", shape.features());
    put(map, "outputs", shape.outputs());
    if (custom) {
      put(map, "name", spec.kind().label());
      return map;
    }
    put(map, "layers", spec.layers());
    put(map, "hidden", spec.hidden());
    put(map, "heads", spec.heads());
    put(map, "output-heads", spec.outputHeads());
    put(map, "dropout", spec.dropout());
    put(map, "input-dropout", spec.inputDropout());
    put(map, "attention-dropout", spec.attentionDropout());
    put(map, "norm", spec.norm());
    put(map, "residual", spec.residual());
    put(map, "alpha", spec.alpha());
    put(map, "lambda", spec.lambda());
    put(map, "epsilon", spec.epsilon());
    put(map, "propagations", spec.propagations());
    put(map, "decay-first-layer-only", spec.decayFirstLayerOnly());
    return map;
  }

  private static void put(Map<String, String> map, String key, Object value) {
    map.put(PREFIX + key, value.toString());
  }

  /**
   * The description in some metadata; an {@link IllegalArgumentException} where there is none, or
   * where it names a network that is not the one given.
   */
  public static ModelDescription of(Map<String, String> metadata, @Nullable CustomNetwork network) {
    String kind = text(metadata, "kind");
    if (network != null && !kind.equals(CUSTOM)) {
      throw new IllegalArgumentException("holds weights of " + kind + ", not of " + network);
    }
    return new ModelDescription(
        kind.equals(CUSTOM) ? custom(text(metadata, "name"), network) : builtIn(metadata),
        new Model.Shape(whole(metadata, "features"), whole(metadata, "outputs")));
  }

  private static ModelSpec custom(String name, @Nullable CustomNetwork network) {
    if (network == null) {
      throw new IllegalArgumentException(
          "holds weights of the network '"
              + name
              + "', which is written in Java: only a program that has it can read them");
    }
    if (!network.label().equals(name)) {
      throw new IllegalArgumentException("holds weights of " + name + ", not of " + network);
    }
    return ModelSpec.of(network);
  }

  private static ModelSpec builtIn(Map<String, String> metadata) {
    return ModelSpec.of(kind(text(metadata, "kind")))
        .layers(whole(metadata, "layers"))
        .hidden(whole(metadata, "hidden"))
        .heads(whole(metadata, "heads"))
        .outputHeads(whole(metadata, "output-heads"))
        .dropout(real(metadata, "dropout"))
        .inputDropout(real(metadata, "input-dropout"))
        .attentionDropout(real(metadata, "attention-dropout"))
        .norm(norm(text(metadata, "norm")))
        .residual(Boolean.parseBoolean(text(metadata, "residual")))
        .alpha(real(metadata, "alpha"))
        .lambda(real(metadata, "lambda"))
        .epsilon(real(metadata, "epsilon"))
        .propagations(whole(metadata, "propagations"))
        .decayFirstLayerOnly(Boolean.parseBoolean(text(metadata, "decay-first-layer-only")))
        .build();
  }

  private static ModelKind kind(String label) {
    return Arrays.stream(ModelKind.values())
        .filter(kind -> kind.label().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no model '" + label + "'"));
  }

  private static NormKind norm(String label) {
    return Arrays.stream(NormKind.values())
        .filter(norm -> norm.toString().equals(label))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no norm '" + label + "'"));
  }

  private static int whole(Map<String, String> metadata, String key) {
    return Integer.parseInt(text(metadata, key));
  }

  private static float real(Map<String, String> metadata, String key) {
    return Float.parseFloat(text(metadata, key));
  }

  private static String text(Map<String, String> metadata, String key) {
    String value = metadata.get(PREFIX + key);
    if (value == null) {
      throw new IllegalArgumentException("holds no description of a model: no " + PREFIX + key);
    }
    return value;
  }
}
