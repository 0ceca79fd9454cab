package dev.heddle.bench;

import java.util.List;

/**
 * A small training whose bits are looked at: one {@code heddle train} or several, one after the
 * other, into one folder. A word {@code @name} among the arguments stands for a path, which differs
 * from run to run: a graph of {@link BitsFolder}, or {@code @out}, the folder of this run.
 */
record BitsCase(String name, List<List<String>> steps) {
  private static final String THEN = " then ";

  BitsCase {
    steps = steps.stream().map(List::copyOf).toList();
  }

  /** From a line of arguments with " then " between one training and the next. */
  static BitsCase parse(String name, String arguments) {
    List<List<String>> steps =
        List.of(arguments.strip().split(THEN, -1)).stream()
            .map(step -> List.of(step.strip().split("\\s+", -1)))
            .toList();
    return new BitsCase(name, steps);
  }

  /** The line that {@link #parse} reads. */
  String arguments() {
    return String.join(THEN, steps.stream().map(step -> String.join(" ", step)).toList());
  }
}
