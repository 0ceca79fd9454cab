package dev.heddle.bench;

import java.util.HashMap;
import java.util.Map;

/** Command-line options of the form {@code --name value}. */
record Options(Map<String, String> values) {
  static Options parse(String[] args) {
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!args[i].startsWith("--") || i + 1 == args.length) {
        throw new IllegalArgumentException("expected --name value, not " + args[i]);
      }
      values.put(args[i].substring(2), args[i + 1]);
    }
    return new Options(values);
  }

  String word(String name, String otherwise) {
    return values.getOrDefault(name, otherwise);
  }

  int number(String name, int otherwise) {
    return Integer.parseInt(word(name, Integer.toString(otherwise)));
  }
}
