package dev.heddle.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * Changes what a store's files say and makes every checksum right again, as a broken writer would
 * have written it. Written from docs/format.md, without the product's own classes.
 */
final class StoreSurgeon {
  private static final int HEADER = 64;
  private static final int TAIL = 27;

  private final TreeMap<String, byte[]> files = new TreeMap<>();

  StoreSurgeon(Path store) throws IOException {
    try (Stream<Path> all = Files.list(store)) {
      for (Path file : all.toList()) {
        String name = file.getFileName().toString();
        if (!name.startsWith(".")) {
          files.put(name, Files.readAllBytes(file));
        }
      }
    }
  }

  boolean has(String array) {
    return files.containsKey(array);
  }

  private byte[] bytes(String file) {
    return Objects.requireNonNull(files.get(file), file);
  }

  /** The elements of an array, to be changed in place. */
  ByteBuffer data(String array) {
    byte[] all = bytes(array);
    return ByteBuffer.wrap(all, HEADER, all.length - HEADER).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  int rows(String array) {
    return (int) ByteBuffer.wrap(bytes(array)).order(ByteOrder.LITTLE_ENDIAN).getLong(16);
  }

  int stride(String array) {
    return ByteBuffer.wrap(bytes(array)).order(ByteOrder.LITTLE_ENDIAN).getInt(28);
  }

  /** Whether elements are float32, by the number of their type. */
  boolean isFloat(String array) {
    return ByteBuffer.wrap(bytes(array)).order(ByteOrder.LITTLE_ENDIAN).getInt(12) == 3;
  }

  void change(String array, Consumer<ByteBuffer> how) {
    how.accept(data(array));
  }

  void remove(String array) {
    files.remove(array);
    manifest(text -> text.replaceFirst("    \"" + Pattern.quote(array) + "\" : [^\n]*\n", ""));
    manifest(text -> text.replace("},\n  }", "}\n  }"));
  }

  void manifest(UnaryOperator<String> how) {
    byte[] manifest = bytes("manifest.json");
    files.put(
        "manifest.json",
        how.apply(new String(manifest, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8));
  }

  /** Writes the store with checksums as they should be. */
  void write(Path store) throws IOException {
    Files.createDirectories(store);
    files.forEach((name, bytes) -> {
      if (!name.equals("manifest.json")) {
        seal(name, bytes);
      }
    });
    byte[] manifest = bytes("manifest.json");
    int end = Math.max(0, manifest.length - TAIL);
    String tail =
        String.format(Locale.ROOT, ",\n  \"crc32\" : \"%08x\"\n}\n", crc(manifest, 0, end));
    System.arraycopy(tail.getBytes(StandardCharsets.UTF_8), 0, manifest, end, TAIL);
    for (var file : files.entrySet()) {
      Files.write(store.resolve(file.getKey()), file.getValue());
    }
  }

  private void seal(String name, byte[] bytes) {
    ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int data = crc(bytes, HEADER, bytes.length - HEADER);
    header.putInt(56, data);
    header.putInt(60, crc(bytes, 0, 60));
    manifest(text ->
        Pattern.compile("(\"" + Pattern.quote(name) + "\" : [^\n]*\"crc32\" : \")[0-9a-f]{8}")
            .matcher(text)
            .replaceFirst(found ->
                Matcher.quoteReplacement(
                    found.group(1) + String.format(Locale.ROOT, "%08x", data))));
  }

  private static int crc(byte[] bytes, int from, int count) {
    CRC32 crc = new CRC32();
    crc.update(bytes, from, count);
    return (int) crc.getValue();
  }
}
