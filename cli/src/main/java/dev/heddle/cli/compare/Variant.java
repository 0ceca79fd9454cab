package dev.heddle.cli.compare;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One of the things that are compared: a name, and what {@code heddle train} is told.
 *
 * @param varied those of the settings in which variants differ, by key
 * @param settings all keys of its run file but the seed
 */
public record Variant(String name, Map<String, String> varied, Map<String, String> settings) {
  public Variant {
    varied = Collections.unmodifiableMap(new LinkedHashMap<>(varied));
    settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
  }
}
