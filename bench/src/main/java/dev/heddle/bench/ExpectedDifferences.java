package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Cases that may differ, and why: a file with a case's name and a reason in each line. Empty lines
 * and those that begin with # say nothing.
 */
record ExpectedDifferences(Map<String, String> reasons) {
  static final ExpectedDifferences NONE = new ExpectedDifferences(Map.of());

  ExpectedDifferences {
    reasons = Map.copyOf(reasons);
  }

  static ExpectedDifferences read(Path file) throws IOException {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file)) {
      String text = line.strip();
      if (text.isEmpty() || text.startsWith("#")) {
        continue;
      }
      String[] words = text.split("\\s+", 2);
      if (words.length < 2) {
        throw new IOException(file + ": gives no reason for " + text);
      }
      reasons.put(words[0], words[1]);
    }
    return new ExpectedDifferences(reasons);
  }

  boolean contains(String name) {
    return reasons.containsKey(name);
  }

  /** Empty where no difference is expected. */
  String reason(String name) {
    return reasons.getOrDefault(name, "");
  }
}
