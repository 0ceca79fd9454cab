package dev.heddle.graph.store;

import dev.heddle.graph.FeatureScaling;
import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.Shown;
import dev.heddle.graph.Treatment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.SequencedMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The manifest as JSON. The last two lines are always {@code "crc32" : "01234567"} and a brace; the
 * checksum is that of all bytes before the comma that ends the line above.
 */
final class ManifestJson {
  private static final String FORMAT = "heddle-graph-store";

  private final Path file;

  private ManifestJson(Path file) {
    this.file = file;
  }

  static byte[] toBytes(Manifest manifest) {
    StringBuilder text = new StringBuilder("{\n");
    field(text, "format", JsonText.quoted(FORMAT));
    field(text, "version", manifest.version());
    field(text, "name", JsonText.quoted(manifest.name()));
    field(text, "vertices", manifest.vertices());
    field(text, "arcs", manifest.arcs());
    field(text, "symmetric", manifest.symmetric());
    LabelInfo labels = manifest.labels();
    if (labels != null) {
      String kind = JsonText.quoted(labels.kind().label());
      String names = labels.names().isEmpty() ? "" : ", \"names\" : " + list(labels.names());
      field(
          text,
          "labels",
          "{ \"kind\" : " + kind + ", \"width\" : " + labels.width() + names + " }");
    }
    if (!manifest.arcTypes().isEmpty()) {
      field(text, "arcTypes", list(manifest.arcTypes()));
    }
    FeatureSchema features = manifest.features();
    if (manifest.hasFeatures() && !features.equals(FeatureSchema.UNKNOWN)) {
      String names = features.names().isEmpty() ? "" : ", \"names\" : " + list(features.names());
      String scaling = JsonText.quoted(features.scaling().label());
      Treatment treatment = features.treatment();
      String treated =
          treatment == null ? "" : ", \"treatment\" : " + TreatmentJson.toText(treatment);
      field(text, "features", "{ \"scaling\" : " + scaling + names + treated + " }");
    }
    if (manifest.bothWays() && !manifest.symmetric()) {
      field(text, "bothWays", true);
    }
    text.append("  \"arrays\" : {\n");
    text.append(
        manifest.arrays().values().stream()
            .map(ManifestJson::line)
            .collect(Collectors.joining(",\n")));
    text.append("\n  }");
    byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
    byte[] tail = tail(body);
    byte[] all = Arrays.copyOf(body, body.length + tail.length);
    System.arraycopy(tail, 0, all, body.length, tail.length);
    return all;
  }

  private static void field(StringBuilder text, String name, Object value) {
    text.append("  \"").append(name).append("\" : ").append(value).append(",\n");
  }

  private static String list(List<String> texts) {
    return texts.stream().map(JsonText::quoted).collect(Collectors.joining(", ", "[ ", " ]"));
  }

  private static String line(ArrayEntry entry) {
    ArrayShape shape = entry.shape();
    return String.format(
        Locale.ROOT,
        "    %s : { \"type\" : %s, \"rows\" : %d, \"columns\" : %d, \"stride\" : %d, "
            + "\"bytes\" : %d, \"crc32\" : \"%08x\" }",
        JsonText.quoted(entry.name()),
        JsonText.quoted(shape.type().label()),
        shape.rows(),
        shape.columns(),
        shape.stride(),
        shape.fileBytes(),
        entry.checksum());
  }

  private static byte[] tail(byte[] body) {
    CRC32 crc = new CRC32();
    crc.update(body);
    String lines =
        ",\n  \"crc32\" : \"" + HexFormat.of().toHexDigits(crc.getValue(), 8) + "\"\n}\n";
    return lines.getBytes(StandardCharsets.US_ASCII);
  }

  static Manifest read(Path folder) {
    return new ManifestJson(folder.resolve(Manifest.FILE)).read();
  }

  private Manifest read() {
    byte[] bytes;
    JsonFields root;
    try {
      bytes = Files.readAllBytes(file);
      root = JsonText.parse(bytes);
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + Failures.reason(e), e);
    } catch (JsonText.Fault e) {
      throw new GraphFormatException(file, "not JSON: " + e.getMessage(), e);
    }
    if (!FORMAT.equals(root.text("format"))) {
      throw fault("not the manifest of a store: \"format\" is not \"" + FORMAT + "\"");
    }
    long version = number(root, "version");
    if (version > Manifest.NEWEST) {
      throw fault(
          "of version "
              + version
              + ", newer than "
              + Manifest.NEWEST
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

  private Manifest manifest(JsonFields root) {
    SequencedMap<String, ArrayEntry> arrays = new LinkedHashMap<>();
    JsonFields listed = root.object("arrays");
    for (String name : listed.names()) {
      arrays.put(name, entry(name, listed.object(name)));
    }
    Manifest manifest =
        new Manifest(
            Shown.field(root.text("name")),
            root.isTrue("symmetric"),
            labels(root),
            root.texts("arcTypes"),
            features(root),
            root.isTrue("symmetric") || root.isTrue("bothWays"),
            arrays);
    if (!manifest.has(Names.IN + Names.OFFSETS) || !manifest.has(Names.IN + Names.IDS)) {
      throw fault("it lists no arcs: in.offsets or in.ids is missing");
    }
    if (number(root, "vertices") != manifest.vertices()
        || number(root, "arcs") != manifest.arcs()) {
      throw fault("the numbers of vertices and arcs are not those of the arrays");
    }
    return manifest;
  }

  private @Nullable LabelInfo labels(JsonFields root) {
    if (!root.has("labels")) {
      return null;
    }
    JsonFields node = root.object("labels");
    LabelInfo.Kind kind = LabelInfo.Kind.named(node.text("kind"));
    long width = number(node, "width");
    if (kind == null || width < 0 || width > Integer.MAX_VALUE) {
      throw fault("labels of kind '" + node.text("kind") + "' and width " + width);
    }
    return new LabelInfo(kind, (int) width, node.texts("names"));
  }

  private FeatureSchema features(JsonFields root) {
    if (!root.has("features")) {
      return FeatureSchema.UNKNOWN;
    }
    JsonFields node = root.object("features");
    FeatureScaling scaling = FeatureScaling.named(node.text("scaling"));
    if (scaling == null) {
      throw fault("features were scaled by '" + node.text("scaling") + "', which is not known");
    }
    return new FeatureSchema(node.texts("names"), scaling, TreatmentJson.read(node, file));
  }

  private ArrayEntry entry(String name, JsonFields node) {
    ElementType type = ElementType.named(node.text("type"));
    long columns = number(node, "columns");
    long stride = number(node, "stride");
    if (type == null) {
      throw fault(name + " is of the unknown type '" + node.text("type") + "'");
    }
    if (!isName(name) || name.equals(Manifest.FILE) || name.startsWith(".")) {
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
      int checksum = Integer.parseUnsignedInt(node.text("crc32"), 16);
      return new ArrayEntry(name, shape, checksum);
    } catch (NumberFormatException _) {
      throw fault("the checksum of " + name + " is no number");
    }
  }

  private static boolean isName(String name) {
    return !name.isEmpty()
        && name.chars().allMatch(c -> c == '.' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'));
  }

  private long number(JsonFields object, String field) {
    Long value = object.number(field);
    if (value == null) {
      throw fault("\"" + field + "\" is not a whole number");
    }
    return value;
  }

  private GraphFormatException fault(String fault) {
    return new GraphFormatException(file, fault);
  }
}
