package dev.heddle.graph.store;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON object as it is read, with the parser alone: starting a mapper takes longer than opening a
 * store may.
 */
final class JsonFields {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** Strings, longs, booleans and objects; other values are kept as their text in quotes. */
  private final Map<String, Object> fields;

  private JsonFields(Map<String, Object> fields) {
    this.fields = fields;
  }

  /** Reads one object and nothing after it. */
  static JsonFields parse(byte[] bytes) throws JacksonException {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), bytes)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new StreamReadException(parser, "it does not begin with an object");
      }
      JsonFields root = object(parser);
      if (parser.nextToken() != null) {
        throw new StreamReadException(parser, "something follows the object");
      }
      return root;
    }
  }

  private static JsonFields object(JsonParser parser) {
    Map<String, Object> fields = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      fields.put(
          name,
          switch (token) {
            case START_OBJECT -> object(parser);
            case VALUE_STRING -> parser.getString();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT -> whole(parser);
            default -> skipped(parser);
          });
    }
    return new JsonFields(fields);
  }

  private static Object whole(JsonParser parser) {
    return switch (parser.getNumberType()) {
      case INT, LONG -> parser.getLongValue();
      default -> skipped(parser);
    };
  }

  private static Object skipped(JsonParser parser) {
    String text = parser.getString();
    parser.skipChildren();
    return "'" + text + "'";
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

  boolean isTrue(String name) {
    return Boolean.TRUE.equals(fields.get(name));
  }

  /** A whole number, or null. */
  @Nullable Long number(String name) {
    return fields.get(name) instanceof Long number ? number : null;
  }

  /** An object; without fields if there is none. */
  JsonFields object(String name) {
    return fields.get(name) instanceof JsonFields object ? object : new JsonFields(Map.of());
  }
}
