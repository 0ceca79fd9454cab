package dev.heddle.train.run;

import dev.heddle.kernel.Matrix;
import dev.heddle.nn.OptimizerState;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.SafetensorsWriter;
import dev.heddle.nn.WeightFileException;
import java.nio.file.Path;
import java.util.Arrays;
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
      read(saved, file, MODEL, model);
      read(saved, file, BEST, best.copies());
      read(saved, file, OPTIMIZER, optimizer.matrices());
      long[] epochs = saved.longs(HISTORY);
      long[] steps = saved.longs(STEPS);
      String fault = History.fault(epochs);
      if (fault == null && !named(file, saved.metadata(), History.epochs(epochs))) {
        fault = "is of " + History.epochs(epochs) + " epochs, unlike its name or metadata";
      }
      if (fault == null && (steps.length != 1 || steps[0] < History.epochs(epochs))) {
        fault = "says of steps " + Arrays.toString(steps) + ", not one number of them";
      }
      if (fault != null) {
        throw new WeightFileException(file, fault);
      }
      optimizer.steps(steps[0]);
      history.addAll(epochs);
    }
  }

  /** Whether a file's name, if it tells epochs, and its metadata tell so many. */
  private static boolean named(Path file, Map<String, String> metadata, int epochs) {
    int name = Checkpoints.epoch(file);
    return (name == 0 || name == epochs)
        && Integer.toString(epochs).equals(metadata.get("heddle.epoch"));
  }

  private void read(Safetensors saved, Path file, String prefix, Map<String, Matrix> into) {
    into.forEach((name, m) -> {
      saved.read(prefix + name, m);
      ModelFile.requireFinite(file, prefix + name, m);
    });
  }
}
