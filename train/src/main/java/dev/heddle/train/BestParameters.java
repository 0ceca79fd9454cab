package dev.heddle.train;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A copy of a model's parameters as they were at the best epoch so far. */
final class BestParameters {
  private final List<Parameter> parameters;
  private final List<MemorySegment> copies = new ArrayList<>();

  BestParameters(Memory memory, List<Parameter> parameters) {
    this.parameters = parameters;
    for (Parameter p : parameters) {
      copies.add(memory.allocate(p.value().data().byteSize()));
    }
  }

  void remember() {
    for (int i = 0; i < copies.size(); i++) {
      Matrix value = parameters.get(i).value();
      MemorySegment.copy(value.data(), 0, copies.get(i), 0, value.data().byteSize());
    }
  }

  void restore() {
    for (int i = 0; i < copies.size(); i++) {
      Matrix value = parameters.get(i).value();
      MemorySegment.copy(copies.get(i), 0, value.data(), 0, value.data().byteSize());
    }
  }
}
