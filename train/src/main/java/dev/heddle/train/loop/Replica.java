package dev.heddle.train.loop;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A model's parameters threefold, so that they are updated while a step reads them: those that the
 * optimizer moves, the newest whole version of these, and the model's own, which change only
 * between its steps. Copies are guarded by whoever calls.
 */
final class Replica {
  private final List<Parameter> model;
  private final List<Parameter> moved = new ArrayList<>();
  private final List<Matrix> whole = new ArrayList<>();

  /** The replica of a model's parameters, which have their first values already. */
  Replica(List<Parameter> model, Memory memory) {
    this.model = model;
    for (Parameter parameter : model) {
      Matrix value = parameter.value();
      Parameter own = Parameter.allocate(memory, parameter.name(), value.rows(), value.cols());
      own.weightDecay(parameter.weightDecay());
      moved.add(own);
      whole.add(Matrix.allocate(memory, value.rows(), value.cols()));
    }
    load();
  }

  /** Bytes of memory that the replica of these parameters takes. */
  static long bytes(List<Parameter> model) {
    long sum = 0;
    for (Parameter parameter : model) {
      Matrix value = parameter.value();
      sum += 3 * Memory.padded(Matrix.bytes(value.rows(), value.cols()));
    }
    return sum;
  }

  /** What the optimizer moves. */
  List<Parameter> moved() {
    return moved;
  }

  /** The newest whole version. */
  List<Matrix> whole() {
    return whole;
  }

  /** Begins with what the model has. */
  void load() {
    for (int i = 0; i < moved.size(); i++) {
      copy(model.get(i).value(), moved.get(i).value());
    }
    publish();
  }

  /** What was moved is the newest whole version. */
  void publish() {
    for (int i = 0; i < moved.size(); i++) {
      copy(moved.get(i).value(), whole.get(i));
    }
  }

  /** The model has the newest whole version from now on. */
  void read() {
    for (int i = 0; i < moved.size(); i++) {
      copy(whole.get(i), model.get(i).value());
    }
  }

  /** Equal shapes have equal strides, so that padding is copied along. */
  private static void copy(Matrix from, Matrix to) {
    MemorySegment.copy(from.data(), 0, to.data(), 0, Matrix.bytes(from.rows(), from.cols()));
  }
}
