package dev.heddle.nn;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an optimizer remembers: how many steps it took, and matrices named {@code parameter.kind},
 * each of its parameter's shape.
 */
public final class OptimizerState {
  private final Map<String, Matrix> matrices = new LinkedHashMap<>();
  private long steps;

  OptimizerState() {}

  /** A matrix of zeros to remember of a parameter. */
  Matrix allocate(Memory memory, Parameter parameter, String kind) {
    Matrix value = parameter.value();
    Matrix matrix = Matrix.allocate(memory, value.rows(), value.cols());
    if (matrices.putIfAbsent(parameter.name() + "." + kind, matrix) != null) {
      throw new IllegalArgumentException("two parameters are named " + parameter.name());
    }
    return matrix;
  }

  /** Counts a step and returns its number, from 1. */
  long advance() {
    return ++steps;
  }

  /** Steps taken so far. */
  public long steps() {
    return steps;
  }

  /** Says how many steps were taken to come where the matrices are. */
  public void steps(long taken) {
    steps = taken;
  }

  /** The matrices themselves, in the order of the parameters. */
  public Map<String, Matrix> matrices() {
    return Collections.unmodifiableMap(matrices);
  }

  /** Goes on where a saved state stopped: takes its step count and copies its matrices. */
  public void restore(long savedSteps, Map<String, Matrix> saved) {
    if (!saved.keySet().equals(matrices.keySet())) {
      throw new IllegalArgumentException(
          "the saved optimizer remembers " + saved.keySet() + ", not " + matrices.keySet());
    }
    saved.forEach((name, from) -> {
      Matrix to = matrices.get(name);
      if (to == null || from.rows() != to.rows() || from.cols() != to.cols()) {
        throw new IllegalArgumentException("saved " + name + " is " + from + ", not " + to);
      }
    });
    saved.forEach((name, from) -> copy(from, matrices.getOrDefault(name, from)));
    steps = savedSteps;
  }

  /** Takes over what another remembers of some of these parameters, and its step count. */
  public void take(OptimizerState some) {
    some.matrices.forEach((name, from) -> copy(from, matrices.getOrDefault(name, from)));
    steps = some.steps;
  }

  /** Equal shapes have equal strides, so that padding is copied along. */
  private static void copy(Matrix from, Matrix to) {
    long bytes = Matrix.bytes(from.rows(), from.cols());
    MemorySegment.copy(from.data(), 0, to.data(), 0, bytes);
  }
}
