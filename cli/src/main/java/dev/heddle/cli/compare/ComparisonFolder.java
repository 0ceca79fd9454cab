package dev.heddle.cli.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Where a comparison lies: {@code variants.json} says what is compared, {@code adaqp/run.yaml} what
 * a variant is told, {@code adaqp/seed-0} is the folder of a run; beside them are the tables.
 */
public final class ComparisonFolder {
  private static final String VARIANTS = "variants.json";
  private static final String HEDDLE = "heddle";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private final Path path;
  private final Map<String, String> folders = new LinkedHashMap<>();

  public ComparisonFolder(Path path, List<Variant> variants) {
    this.path = path;
    for (Variant variant : variants) {
      String plain = variant.name().replaceAll("[^A-Za-z0-9._=,-]", "_").replaceAll("^[.]", "_");
      String shorter = plain.substring(0, Math.min(80, plain.length()));
      String free = shorter;
      for (int i = 2; folders.containsValue(free); i++) {
        free = shorter + "-" + i;
      }
      folders.put(variant.name(), free);
    }
  }

  public Path path() {
    return path;
  }

  /** The run file of a variant. */
  public Path settings(Variant variant) {
    return folder(variant).resolve("run.yaml");
  }

  Path run(Variant variant, long seed) {
    return folder(variant).resolve("seed-" + seed);
  }

  private Path folder(Variant variant) {
    return path.resolve(Objects.requireNonNull(folders.get(variant.name())));
  }

  /**
   * Notes what is compared. Where a comparison is there already, variants may come or be left out,
   * but those that are in both must be told the same.
   *
   * @param heddle the version that trains
   */
  public void claim(List<Variant> variants, String heddle) {
    Path file = path.resolve(VARIANTS);
    Map<String, Object> now = new LinkedHashMap<>();
    now.put(HEDDLE, heddle);
    variants.forEach(variant -> now.put("variant " + variant.name(), variant.settings()));
    ObjectNode all = JSON.valueToTree(now);
    try {
      if (Files.exists(file)) {
        JsonNode before = JSON.readTree(Files.readString(file));
        requireEqual(before, all);
        before.properties().stream()
            .filter(each -> !all.has(each.getKey()))
            .forEach(each -> all.set(each.getKey(), each.getValue()));
      }
      write(VARIANTS, JSON.writeValueAsString(all) + "\n");
    } catch (JacksonException e) {
      throw new IllegalArgumentException(file + ": is not what heddle compare wrote", e);
    } catch (IOException e) {
      throw new UncheckedIOException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  private void requireEqual(JsonNode there, JsonNode wanted) {
    if (!there.path(HEDDLE).equals(wanted.path(HEDDLE))) {
      String before = there.path(HEDDLE).asString("");
      throw refused("is of version " + before + ", not " + wanted.path(HEDDLE).asString(""));
    }
    for (String name : wanted.propertyNames()) {
      JsonNode before = there.path(name);
      JsonNode after = wanted.path(name);
      TreeSet<String> keys = new TreeSet<>(before.propertyNames());
      keys.addAll(after.propertyNames());
      for (String key : keys) {
        if (!before.isMissingNode() && !before.path(key).equals(after.path(key))) {
          throw refused(name + " has " + said(key, before) + ", not " + said(key, after));
        }
      }
    }
  }

  private static String said(String key, JsonNode settings) {
    return settings.has(key) ? "--" + key + " " + settings.get(key).asString() : "no --" + key;
  }

  private IllegalArgumentException refused(String difference) {
    return new IllegalArgumentException(
        path
            + ": holds another comparison ("
            + difference
            + "); ask as it was asked before, or take another --out");
  }

  /** Writes a file whole or not at all. */
  public void write(String name, String text) {
    try {
      Path temporary = path.resolve(name + ".tmp");
      Files.createDirectories(temporary.toAbsolutePath().getParent());
      Files.writeString(temporary, text);
      Files.move(temporary, path.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(
          path.resolve(name) + ": cannot be written: " + e.getMessage(), e);
    }
  }

  /** An empty folder for a run, whatever an unfinished one has left there. */
  Path empty(Variant variant, long seed) {
    Path run = run(variant, seed);
    try {
      if (Files.exists(run)) {
        try (Stream<Path> all = Files.walk(run)) {
          for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
            Files.delete(file);
          }
        }
      }
      return Files.createDirectories(run);
    } catch (IOException e) {
      throw new UncheckedIOException(run + ": cannot be made: " + e.getMessage(), e);
    }
  }
}
