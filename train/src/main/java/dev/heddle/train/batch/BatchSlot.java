package dev.heddle.train.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A place in the pipeline of batches: a macrobatch and the model over each of its batches. Both are
 * made when they are first asked for and can be given back, so that places which no queue needs
 * take no memory.
 */
final class BatchSlot {
  private final Supplier<Macrobatch> making;
  private final BatchModel model;
  private @Nullable Macrobatch macrobatch;
  private final List<BatchProgram> programs = new ArrayList<>();

  /** A place for macrobatches as they are made. */
  BatchSlot(Supplier<Macrobatch> making, BatchModel model) {
    this.making = making;
    this.model = model;
  }

  /** What batches are loaded into; by whoever loads. */
  Macrobatch macrobatch() {
    if (macrobatch == null) {
      macrobatch = making.get();
    }
    return Objects.requireNonNull(macrobatch);
  }

  /** The model over one of the batches; by whoever trains, once batches are loaded. */
  BatchProgram program(int number) {
    Macrobatch loaded = macrobatch();
    while (programs.size() < loaded.size()) {
      programs.add(new BatchProgram(model, loaded, programs.size()));
    }
    return programs.get(number);
  }

  /** Bytes of memory that loaded batches take now. */
  long bytes() {
    return macrobatch == null ? 0 : macrobatch.bytes();
  }

  /** Gives all memory back, until something is asked for again. */
  void release() {
    programs.forEach(BatchProgram::close);
    programs.clear();
    if (macrobatch != null) {
      macrobatch.close();
      macrobatch = null;
    }
  }
}
