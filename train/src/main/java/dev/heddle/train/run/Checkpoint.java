package dev.heddle.train.run;

import dev.heddle.kernel.Matrix;
import dev.heddle.nn.OptimizerState;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.SafetensorsWriter;
import java.nio.file.Path;
import java.util.Map;

/**
 * A run between two epochs as one safetensors file: {@code model.*} as it is, {@code best.*} as it
 * was at the best epoch, {@code optimizer.*}, and the history of epochs; in the metadata, what run
 * it is of. The file is checksummed, and appears whole or not at all.
 *
 * @param identity what must be the same in the run that goes on: format, model, graph, settings
 */
public record Checkpoint(
    Map<String, Matrix> model, BestParameters best, OptimizerState optimizer, Identity identity) {
  /** Raised when files or the numbers that come out of them change their meaning. */
  static final String FORMAT = "1";

  private static final String MODEL = "model.";
  private static final String BEST = "best.";
  private static final String OPTIMIZER = "optimizer.";
  private static final String HISTORY = "history";
  private static final String STEPS = "steps";

  void write(Path file, History history) {
    SafetensorsWriter writer = new SafetensorsWriter().checksummed();
    identity.strings().forEach(writer::metadata);
    writer.metadata("heddle.version", Version.CURRENT);
    writer.metadata("heddle.epoch", Integer.toString(history.epochs()));
    model.forEach((name, m) -> writer.add(MODEL + name, m));
    best.copies().forEach((name, m) -> writer.add(BEST + name, m));
    optimizer.matrices().forEach((name, m) -> writer.add(OPTIMIZER + name, m));
    writer.add(STEPS, new long[] {optimizer.steps()});
    writer.add(HISTORY, history.toLongs());
    writer.write(file);
  }

  /** Puts everything as it was when the file was written, and adds its epochs to the history. */
  void read(Path file, History history) {
    try (Safetensors saved = Safetensors.open(file).verified()) {
      identity.require(file, saved.metadata());
      read(saved, MODEL, model);
      read(saved, BEST, best.copies());
      read(saved, OPTIMIZER, optimizer.matrices());
      optimizer.steps(saved.longs(STEPS)[0]);
      history.addAll(saved.longs(HISTORY));
    }
  }

  private static void read(Safetensors saved, String prefix, Map<String, Matrix> into) {
    into.forEach((name, m) -> saved.read(prefix + name, m));
  }
}
