package dev.heddle.nn;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON at the start of a safetensors file: for each tensor {@code {"dtype": "F32", "shape": [2,
 * 3], "data_offsets": [begin, end]}}, and strings under {@code __metadata__}.
 *
 * @param tensors by name, in the order of the file
 */
record SafetensorsHeader(Map<String, String> metadata, Map<String, TensorEntry> tensors) {
  static final String METADATA = "__metadata__";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /** What is wrong with a header, without the file's name. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;

    Malformed(String reason) {
      super(reason);
      this.reason = reason;
    }

    String reason() {
      return reason;
    }
  }

  /** The JSON, padded with spaces so that what follows begins at a multiple of eight. */
  byte[] toBytes() {
    ObjectNode root = JSON.createObjectNode();
    if (!metadata.isEmpty()) {
      ObjectNode strings = root.putObject(METADATA);
      metadata.forEach(strings::put);
    }
    tensors.forEach((name, entry) -> {
      ObjectNode tensor = root.putObject(name);
      tensor.put("dtype", entry.type().name());
      ArrayNode shape = tensor.putArray("shape");
      entry.shape().forEach(shape::add);
      tensor.putArray("data_offsets").add(entry.begin()).add(entry.end());
    });
    byte[] json = JSON.writeValueAsBytes(root);
    byte[] padded = Arrays.copyOf(json, (json.length + 7) / 8 * 8);
    Arrays.fill(padded, json.length, padded.length, (byte) ' ');
    return padded;
  }

  /** Reads a header that {@code dataBytes} bytes of tensors follow, and checks all it says. */
  static SafetensorsHeader parse(ByteBuffer bytes, long dataBytes) throws Malformed {
    JsonNode root = parseJson(bytes);
    Map<String, String> metadata = new LinkedHashMap<>();
    List<Map.Entry<String, TensorEntry>> entries = new ArrayList<>();
    for (var property : root.properties()) {
      if (property.getKey().equals(METADATA)) {
        metadata = strings(property.getValue());
      } else {
        entries.add(Map.entry(property.getKey(), entry(property.getKey(), property.getValue())));
      }
    }
    entries.sort(
        Comparator.comparingLong((Map.Entry<String, TensorEntry> e) -> e.getValue().begin())
            .thenComparingLong(e -> e.getValue().end()));
    Map<String, TensorEntry> tensors = new LinkedHashMap<>();
    long end = 0;
    for (var entry : entries) {
      // Neither overlaps nor gaps: every byte belongs to one tensor.
      if (entry.getValue().begin() != end) {
        throw new Malformed(
            "tensor '%s' begins at byte %d, not where the one before it ends, at %d"
                .formatted(entry.getKey(), entry.getValue().begin(), end));
      }
      end = entry.getValue().end();
      tensors.put(entry.getKey(), entry.getValue());
    }
    if (end != dataBytes) {
      throw new Malformed(
          "the header tells of %d bytes, the file has %d".formatted(end, dataBytes));
    }
    return new SafetensorsHeader(metadata, tensors);
  }

  private static JsonNode parseJson(ByteBuffer bytes) throws Malformed {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
      if (!text.startsWith("{")) {
        throw new Malformed("the header does not begin with '{'; this is no safetensors file");
      }
      return JSON.readTree(text);
    } catch (CharacterCodingException e) {
      throw new Malformed("the header is not UTF-8");
    } catch (JacksonException e) {
      throw new Malformed("the header is not valid JSON: " + e.getOriginalMessage());
    }
  }

  private static Map<String, String> strings(JsonNode node) throws Malformed {
    require(node.isObject(), METADATA + " is not an object");
    Map<String, String> strings = new LinkedHashMap<>();
    for (var property : node.properties()) {
      require(property.getValue().isString(), METADATA + " holds more than strings");
      strings.put(property.getKey(), property.getValue().stringValue());
    }
    return strings;
  }

  private static TensorEntry entry(String name, JsonNode node) throws Malformed {
    String tensor = "tensor '" + name + "' ";
    require(node.isObject(), tensor + "is not described by an object");
    List<Long> shape = numbers(node.path("shape"), tensor + "has no shape of whole numbers");
    String noOffsets = tensor + "has no data_offsets of two whole numbers";
    List<Long> offsets = numbers(node.path("data_offsets"), noOffsets);
    require(offsets.size() == 2, noOffsets);
    try {
      var entry = new TensorEntry(type(node.path("dtype"), tensor), shape, offsets.getFirst());
      require(
          entry.end() == offsets.getLast(),
          tensor + "of shape " + shape + " does not fill bytes " + offsets);
      return entry;
    } catch (ArithmeticException e) {
      throw new Malformed(tensor + "is too large: " + shape);
    }
  }

  private static TensorType type(JsonNode node, String tensor) throws Malformed {
    for (TensorType type : TensorType.values()) {
      if (node.isString() && type.name().equals(node.stringValue())) {
        return type;
      }
    }
    throw new Malformed(
        tensor + "has dtype " + node + "; known are " + Arrays.toString(TensorType.values()));
  }

  private static List<Long> numbers(JsonNode node, String complaint) throws Malformed {
    require(node.isArray(), complaint);
    List<Long> numbers = new ArrayList<>();
    for (JsonNode number : node) {
      require(number.isIntegralNumber() && number.canConvertToLong(), complaint);
      require(number.longValue() >= 0, complaint);
      numbers.add(number.longValue());
    }
    return numbers;
  }

  private static void require(boolean condition, String complaint) throws Malformed {
    if (!condition) {
      throw new Malformed(complaint);
    }
  }
}
