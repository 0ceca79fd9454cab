package dev.heddle.train.run;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A copy of all that makes a model, as it was at the best epoch so far. */
public final class BestParameters {
  private final Map<String, Matrix> model;
  private final Map<String, Matrix> copies = new LinkedHashMap<>();

  public BestParameters(Memory memory, Map<String, Matrix> model) {
    this.model = model;
    model.forEach((name, m) -> copies.put(name, Matrix.allocate(memory, m.rows(), m.cols())));
  }

  public void remember() {
    copy(model, copies);
  }

  public void restore() {
    copy(copies, model);
  }

  /** The copies themselves, by name. */
  public Map<String, Matrix> copies() {
    return Collections.unmodifiableMap(copies);
  }

  private static void copy(Map<String, Matrix> from, Map<String, Matrix> to) {
    from.forEach((name, m) -> {
      Matrix target = to.getOrDefault(name, m);
      MemorySegment.copy(m.data(), 0, target.data(), 0, Matrix.bytes(m.rows(), m.cols()));
    });
  }
}
