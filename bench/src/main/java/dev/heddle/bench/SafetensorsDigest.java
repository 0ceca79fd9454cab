package dev.heddle.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Digests of the tensors in a safetensors file: eight bytes that say how long a header of JSON is,
 * least significant first, the header, and the data that it tells the places of. Metadata may
 * differ.
 */
final class SafetensorsDigest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String METADATA = "__metadata__";

  private SafetensorsDigest() {}

  /** The tensors by name; at least one, or there is nothing that could be compared. */
  static SortedMap<String, BitsDigest> of(Path file) throws IOException {
    ByteBuffer all = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    long length = all.remaining() < Long.BYTES ? -1 : all.getLong();
    if (length < 0 || length > all.remaining()) {
      throw new IOException(file + ": is no safetensors file");
    }
    byte[] header = new byte[(int) length];
    all.get(header);
    ByteBuffer data = all.slice();
    SortedMap<String, BitsDigest> tensors = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : parse(file, header).properties()) {
      if (!entry.getKey().equals(METADATA)) {
        tensors.put(entry.getKey(), tensor(file, entry.getValue(), data));
      }
    }
    if (tensors.isEmpty()) {
      throw new IOException(file + ": holds no tensors");
    }
    return tensors;
  }

  private static JsonNode parse(Path file, byte[] header) throws IOException {
    try {
      return JSON.readTree(new String(header, StandardCharsets.UTF_8));
    } catch (JacksonException e) {
      throw new IOException(file + ": its header is no JSON", e);
    }
  }

  private static BitsDigest tensor(Path file, JsonNode tensor, ByteBuffer data) throws IOException {
    JsonNode offsets = tensor.path("data_offsets");
    long from = offsets.path(0).asLong(-1);
    long to = offsets.path(1).asLong(-1);
    if (from < 0 || to < from || to > data.limit()) {
      throw new IOException(file + ": says that a tensor lies at " + offsets);
    }
    MessageDigest digest = BitsDigest.sha256();
    digest.update(data.slice((int) from, (int) (to - from)));
    String shape =
        tensor.path("shape").valueStream().map(JsonNode::asString).collect(Collectors.joining("×"));
    return new BitsDigest(tensor.path("dtype").asString(), shape, BitsDigest.hex(digest));
  }
}
