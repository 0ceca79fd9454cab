package dev.heddle.cli;

import dev.heddle.cli.compare.Variant;
import dev.heddle.train.settings.Preset;
import dev.heddle.train.settings.Split;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The variants of a comparison, and what is filled in so that they differ in nothing but what
 * varies: presets have the same workers, model and layers, and all are scored equally often.
 */
final class ComparedVariants {
  private static final String PRESET = "preset";
  private static final String WORKERS = "4";

  /** How often a run is scored if nobody says: seldom enough, often enough for curves. */
  private static final int SCORES = 30;

  private final CommandSpec train;
  private final Map<String, String> base;
  private final VariedOptions varied;
  private final Map<String, String> filledIn = new LinkedHashMap<>();

  /**
   * Variants of what a run file and flags say.
   *
   * @param said by them, by key
   */
  ComparedVariants(CommandSpec train, Map<String, String> said, VariedOptions varied) {
    this.train = train;
    this.varied = varied;
    base = new LinkedHashMap<>(said);
    fillIn();
  }

  /** What was filled in for all, by key. */
  Map<String, String> filledIn() {
    return filledIn;
  }

  private void fillIn() {
    List<String> presets =
        varied.has(PRESET) ? varied.values(PRESET) : Stream.ofNullable(base.get(PRESET)).toList();
    if (presets.isEmpty()) {
      return;
    }
    offer("workers", WORKERS);
    if (presets.stream().anyMatch(ComparedVariants::cutsLayers)) {
      // A stage has a layer at least. Variants of other workers say their own layers.
      offer("layers", Integer.toString(Math.max(2, number(base, "workers", 2))));
    }
    offer("model", Objects.requireNonNull(usual("model")));
  }

  private void offer(String key, String value) {
    if (!varied.has(key) && base.putIfAbsent(key, value) == null) {
      filledIn.put(key, value);
    }
  }

  private static @Nullable Preset preset(@Nullable String name) {
    return Arrays.stream(Preset.values())
        .filter(preset -> preset.toString().equalsIgnoreCase(name))
        .findFirst()
        .orElse(null);
  }

  private static boolean cutsLayers(String name) {
    Preset preset = preset(name);
    return preset != null && preset.knobs(1).split().cutsLayers();
  }

  /** What an option has if nobody says anything: what suits the graph, else its own. */
  private @Nullable String usual(String key) {
    String suits = TrainDefaults.suiting(base.get("graph")).get(key);
    Object own = Keys.initial(Objects.requireNonNull(train.findOption("--" + key)));
    return suits != null ? suits : own == null ? null : own.toString();
  }

  /** A number that is said; what is none is refused by whoever parses it. */
  private static int number(Map<String, String> settings, String key, int otherwise) {
    String said = settings.get(key);
    return said != null && said.matches("\\d{1,9}") ? Integer.parseInt(said) : otherwise;
  }

  /** All of them, each checked for values that are none. */
  List<Variant> all() {
    List<Variant> all = new ArrayList<>();
    for (Map<String, String> each : varied.combinations()) {
      Map<String, String> settings = new LinkedHashMap<>(base);
      settings.putAll(each);
      leaveOutBatches(settings, each);
      if (!settings.containsKey("evaluate-every")) {
        int usual = Integer.parseInt(Objects.requireNonNullElse(usual("epochs"), "1"));
        int epochs = number(settings, "epochs", usual);
        settings.put("evaluate-every", Integer.toString(Math.max(1, epochs / SCORES)));
      }
      checkTypes(settings);
      all.add(new Variant(name(each), each, settings));
    }
    return all;
  }

  /** A preset's name is enough where nothing else varies. */
  private static String name(Map<String, String> each) {
    return each.keySet().equals(Set.of(PRESET))
        ? Objects.requireNonNull(each.get(PRESET))
        : each.entrySet().stream().map(Object::toString).collect(Collectors.joining(" "));
  }

  /**
   * How large batches are and how they are sampled is for those presets that train in batches,
   * wherever it is said for all.
   */
  private void leaveOutBatches(Map<String, String> settings, Map<String, String> each) {
    Preset preset = preset(settings.get(PRESET));
    if (preset == null || !varied.has(PRESET)) {
      return;
    }
    Split own = preset.knobs(1).split();
    String said = settings.getOrDefault("split", own.toString());
    boolean batches =
        Arrays.stream(Split.values())
            .anyMatch(split -> split.inBatches() && split.toString().equalsIgnoreCase(said));
    if (!batches) {
      Objects.requireNonNull(train.mixins().get("batches")).options().stream()
          .map(Keys::name)
          .filter(key -> !each.containsKey(key))
          .forEach(settings::remove);
    }
  }

  /** Refuses words where numbers belong, and choices that there are not, before anything runs. */
  private static void checkTypes(Map<String, String> settings) {
    CommandLine line =
        new CommandLine(new TrainCommand()).setCaseInsensitiveEnumValuesAllowed(true);
    line.setDefaultValueProvider(option -> settings.get(Keys.name(option)));
    CommandLine.ParseResult _ = line.parseArgs();
  }
}
