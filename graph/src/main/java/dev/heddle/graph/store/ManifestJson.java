package dev.heddle.graph.store;

import dev.heddle.graph.GraphFormatException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The manifest as JSON. The last two lines are always {@code "crc32" : "01234567"} and a brace; the
 * checksum is that of all bytes before the comma that ends the line above.
 */
final class ManifestJson {
  private static final String FORMAT = "heddle-graph-store";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final Path file;

  private ManifestJson(Path file) {
    this.file = file;
  }

  static byte[] toBytes(Manifest manifest) {
    ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT);
    root.put("version", Manifest.VERSION);
    root.put("name", manifest.name());
    root.put("vertices", manifest.vertices());
    root.put("arcs", manifest.arcs());
    root.put("symmetric", manifest.symmetric());
    LabelInfo labels = manifest.labels();
    if (labels != null) {
      root.putObject("labels").put("kind", labels.kind().label()).put("width", labels.width());
    }
    ObjectNode arrays = root.putObject("arrays");
    for (ArrayEntry entry : manifest.arrays().values()) {
      ArrayShape shape = entry.shape();
      arrays
          .putObject(entry.name())
          .put("type", shape.type().label())
          .put("rows", shape.rows())
          .put("columns", shape.columns())
          .put("stride", shape.stride())
          .put("bytes", shape.fileBytes())
          .put("crc32", String.format("%08x", entry.checksum()));
    }
    String text = JSON.writerWithDefaultPrettyPrinter().writeValueAsString(root);
    String lines = text.replace("\r\n", "\n").strip();
    byte[] body = lines.substring(0, lines.length() - 1).strip().getBytes(StandardCharsets.UTF_8);
    byte[] tail = tail(body);
    byte[] all = Arrays.copyOf(body, body.length + tail.length);
    System.arraycopy(tail, 0, all, body.length, tail.length);
    return all;
  }

  private static byte[] tail(byte[] body) {
    CRC32 crc = new CRC32();
    crc.update(body);
    String lines = String.format(",\n  \"crc32\" : \"%08x\"\n}\n", crc.getValue());
    return lines.getBytes(StandardCharsets.US_ASCII);
  }

  static Manifest read(Path folder) {
    return new ManifestJson(folder.resolve(Manifest.FILE)).read();
  }

  private Manifest read() {
    byte[] bytes;
    JsonNode root;
    try {
      bytes = Files.readAllBytes(file);
      root = JSON.readTree(bytes);
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + Failures.reason(e), e);
    } catch (JacksonException e) {
      throw new GraphFormatException(file, "not JSON: " + e.getOriginalMessage(), e);
    }
    if (!FORMAT.equals(text(root, "format"))) {
      throw fault("not the manifest of a store: \"format\" is not \"" + FORMAT + "\"");
    }
    long version = number(root, "version");
    if (version > Manifest.VERSION) {
      throw fault(
          "of version "
              + version
              + ", newer than "
              + Manifest.VERSION
              + ", which this heddle reads");
    }
    checkChecksum(bytes);
    return manifest(root);
  }

  private void checkChecksum(byte[] bytes) {
    int length = tail(new byte[0]).length;
    int end = Math.max(0, bytes.length - length);
    byte[] expected = tail(Arrays.copyOf(bytes, end));
    if (!Arrays.equals(expected, Arrays.copyOfRange(bytes, end, bytes.length))) {
      throw fault("damaged: its checksum does not match");
    }
  }

  private Manifest manifest(JsonNode root) {
    SequencedMap<String, ArrayEntry> arrays = new LinkedHashMap<>();
    JsonNode listed = root.path("arrays");
    for (String name : listed.propertyNames()) {
      arrays.put(name, entry(name, listed.path(name)));
    }
    Manifest manifest =
        new Manifest(
            text(root, "name"), root.path("symmetric").asBoolean(false), labels(root), arrays);
    if (!manifest.has(Names.IN + Names.OFFSETS) || !manifest.has(Names.IN + Names.IDS)) {
      throw fault("it lists no arcs: in.offsets or in.ids is missing");
    }
    if (number(root, "vertices") != manifest.vertices()
        || number(root, "arcs") != manifest.arcs()) {
      throw fault("the numbers of vertices and arcs are not those of the arrays");
    }
    return manifest;
  }

  private @Nullable LabelInfo labels(JsonNode root) {
    if (!root.has("labels")) {
      return null;
    }
    JsonNode node = root.path("labels");
    LabelInfo.Kind kind = LabelInfo.Kind.named(text(node, "kind"));
    long width = number(node, "width");
    if (kind == null || width < 0 || width > Integer.MAX_VALUE) {
      throw fault("labels of kind '" + text(node, "kind") + "' and width " + width);
    }
    return new LabelInfo(kind, (int) width);
  }

  private ArrayEntry entry(String name, JsonNode node) {
    ElementType type = ElementType.named(text(node, "type"));
    long columns = number(node, "columns");
    long stride = number(node, "stride");
    if (type == null) {
      throw fault(name + " is of the unknown type '" + text(node, "type") + "'");
    }
    if (!name.matches("[a-z0-9.]+") || name.equals(Manifest.FILE) || name.startsWith(".")) {
      throw fault("'" + name + "' is no name of an array");
    }
    ArrayShape shape =
        new ArrayShape(
            type,
            number(node, "rows"),
            (int) Math.min(columns, Integer.MAX_VALUE),
            (int) Math.min(stride, Integer.MAX_VALUE));
    if (!shape.possible() || number(node, "bytes") != shape.fileBytes()) {
      throw fault("the size of " + name + " is impossible");
    }
    try {
      int checksum = Integer.parseUnsignedInt(text(node, "crc32"), 16);
      return new ArrayEntry(name, shape, checksum);
    } catch (NumberFormatException _) {
      throw fault("the checksum of " + name + " is no number");
    }
  }

  private String text(JsonNode node, String field) {
    return node.path(field).asString("");
  }

  private long number(JsonNode node, String field) {
    JsonNode value = node.path(field);
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw fault("\"" + field + "\" is not a whole number");
    }
    return value.asLong();
  }

  private GraphFormatException fault(String fault) {
    return new GraphFormatException(file, fault);
  }
}
