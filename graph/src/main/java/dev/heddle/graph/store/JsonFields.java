package dev.heddle.graph.store;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A JSON object as it was read. */
final class JsonFields {
  /** Strings, longs, doubles, booleans, objects and lists of these; null is text in quotes. */
  private final Map<String, Object> fields;

  JsonFields(Map<String, Object> fields) {
    this.fields = fields;
  }

  Set<String> names() {
    return fields.keySet();
  }

  boolean has(String name) {
    return fields.containsKey(name);
  }

  /** A string; empty if there is none. */
  String text(String name) {
    return fields.get(name) instanceof String text ? text : "";
  }

  /** The strings of a list; none if there is no list. */
  List<String> texts(String name) {
    return fields.get(name) instanceof List<?> list
        ? list.stream().filter(String.class::isInstance).map(String.class::cast).toList()
        : List.of();
  }

  boolean isTrue(String name) {
    return Boolean.TRUE.equals(fields.get(name));
  }

  /** A whole number, or null. */
  @Nullable Long number(String name) {
    return fields.get(name) instanceof Long number ? number : null;
  }

  /** The numbers of a list; none if there is no list. */
  List<Double> reals(String name) {
    return fields.get(name) instanceof List<?> list
        ? list.stream()
            .filter(Number.class::isInstance)
            .map(value -> ((Number) value).doubleValue())
            .toList()
        : List.of();
  }

  /** The objects of a list; none if there is no list. */
  List<JsonFields> objects(String name) {
    return fields.get(name) instanceof List<?> list
        ? list.stream().filter(JsonFields.class::isInstance).map(JsonFields.class::cast).toList()
        : List.of();
  }

  /** An object; without fields if there is none. */
  JsonFields object(String name) {
    return fields.get(name) instanceof JsonFields object ? object : new JsonFields(Map.of());
  }
}
