package dev.heddle.kernel;

/** One piece of a parallel loop. */
@FunctionalInterface
public interface Task {
  void run(int task);
}
