package dev.heddle.cli;

import dev.heddle.nn.ModelKind;
import dev.heddle.train.settings.Preset;
import dev.heddle.train.settings.Split;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a preset needs besides its knobs to run at all, so that {@code --preset} alone does. */
final class PresetNeeds {
  private static final String WORKERS = "4";
  private static final String BATCH = "1024";

  /** Layers that stages can share, of a model that learns something when it is so deep. */
  private static final String LAYERS = "8";

  private static final String DEEP = ModelKind.RESGCN.label();

  private PresetNeeds() {}

  /**
   * Keys and values that are filled in.
   *
   * @param said by flags and the run file, by key
   */
  static Map<String, String> of(Map<String, String> said) {
    Map<String, String> needed = new LinkedHashMap<>();
    String name = said.get("preset");
    Preset preset =
        Arrays.stream(Preset.values())
            .filter(p -> p.toString().equalsIgnoreCase(name))
            .findFirst()
            .orElse(null);
    if (preset == null) {
      return needed;
    }
    if (!said.containsKey("workers") && !said.containsKey("world")) {
      needed.put("workers", WORKERS);
    }
    String split = said.getOrDefault("split", preset.knobs(1).split().toString());
    boolean batches =
        Arrays.stream(Split.values())
            .anyMatch(s -> s.inBatches() && s.toString().equalsIgnoreCase(split));
    if (batches && !said.containsKey("batch")) {
      needed.put("batch", BATCH);
    }
    if (split.equalsIgnoreCase(Split.LAYERS.toString()) && !said.containsKey("layers")) {
      if (!said.containsKey("model")) {
        needed.put("model", DEEP);
      }
      needed.put("layers", LAYERS);
    }
    return needed;
  }

  /** One line that says what was filled in. */
  static String line(Map<String, String> needed) {
    StringBuilder line = new StringBuilder("filled in");
    needed.forEach((key, value) -> line.append(" --").append(key).append(' ').append(value));
    return line.append("; links are as fast as this machine (--link 1Gbit imitates a network)")
        .toString();
  }
}
