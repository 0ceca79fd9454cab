package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Results as a CSV file, in the order in which they were made: for each case a line with its
 * arguments, then one for each digest.
 */
final class BitsTable {
  private static final String HEADER = "case,what,dtype,shape,value";
  private static final String ARGUMENTS = "arguments";
  private static final int COLUMNS = 5;

  private BitsTable() {}

  static void write(Path file, List<BitsResult> results) throws IOException {
    List<String> lines = new ArrayList<>(List.of(HEADER));
    for (BitsResult result : results) {
      String name = result.of().name();
      lines.add(line(name, ARGUMENTS, "", "", result.of().arguments()));
      result
          .digests()
          .forEach((what, d) -> lines.add(line(name, what, d.dtype(), d.shape(), d.value())));
    }
    Files.write(file, lines);
  }

  static List<BitsResult> read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    if (lines.isEmpty() || !lines.getFirst().equals(HEADER)) {
      throw new IOException(file + ": does not begin with " + HEADER);
    }
    Map<String, String> arguments = new LinkedHashMap<>();
    Map<String, SortedMap<String, BitsDigest>> digests = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      List<String> fields = fields(line);
      if (fields.size() != COLUMNS) {
        throw new IOException(file + ": not " + COLUMNS + " fields: " + line);
      }
      String name = fields.getFirst();
      String what = fields.get(1);
      if (what.equals(ARGUMENTS)) {
        arguments.put(name, fields.getLast());
      } else {
        BitsDigest digest = new BitsDigest(fields.get(2), fields.get(3), fields.getLast());
        digests.computeIfAbsent(name, _ -> new TreeMap<>()).put(what, digest);
      }
    }
    if (!arguments.keySet().equals(digests.keySet())) {
      throw new IOException(file + ": is not whole");
    }
    List<BitsResult> results = new ArrayList<>();
    arguments.forEach((name, line) ->
        results.add(new BitsResult(BitsCase.parse(name, line), found(digests, name))));
    return results;
  }

  private static SortedMap<String, BitsDigest> found(
      Map<String, SortedMap<String, BitsDigest>> digests, String name) {
    return digests.getOrDefault(name, new TreeMap<>());
  }

  private static String line(String... fields) {
    List<String> quoted = new ArrayList<>();
    for (String field : fields) {
      boolean plain = !field.contains(",") && !field.contains("\"");
      quoted.add(plain ? field : '"' + field.replace("\"", "\"\"") + '"');
    }
    return String.join(",", quoted);
  }

  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '"') {
        if (!quoted && i > 0 && line.charAt(i - 1) == '"') {
          field.append(c);
        }
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString());
    return fields;
  }
}
