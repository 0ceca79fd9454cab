package dev.heddle.train.run;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import dev.heddle.nn.CustomNetwork;
import dev.heddle.nn.Metric;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelDescription;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.SafetensorsWriter;
import dev.heddle.nn.TensorEntry;
import dev.heddle.nn.TorchWeights;
import dev.heddle.nn.WeightFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A trained model as it was read from a safetensors file, whose metadata describe it.
 *
 * @param task what its outputs mean
 * @param metric what it was chosen by
 * @param schema what it was trained on; null in files of versions that did not note it
 */
public record ModelFile(Model model, Task task, Metric metric, @Nullable ModelSchema schema) {
  /** Rows are padded to 8 floats, and parameters have gradients. */
  private static final long PADDED = 16;

  private static final long PER_TENSOR = 4096;
  private static final String TASK = "heddle.task";
  private static final String METRIC = "heddle.metric";

  public static void write(Path file, Model model, Task task, Metric metric, ModelSchema schema) {
    SafetensorsWriter writer = new SafetensorsWriter().checksummed();
    writer.metadata("heddle.version", Version.CURRENT);
    writer.metadata(TASK, task.toString());
    writer.metadata(METRIC, metric.name());
    writer.metadata(ModelSchema.KEY, schema.toJson());
    ModelDescription.of(model).toMap().forEach(writer::metadata);
    model.parameters().state().forEach(writer::add);
    writer.write(file);
  }

  /**
   * Writes the model's weights as PyTorch Geometric calls and lays them, with the same description
   * in the metadata.
   */
  public void writeForTorch(Path file, Memory memory) {
    SafetensorsWriter writer = new SafetensorsWriter();
    TorchWeights.add(model, writer, memory);
    writer.metadata("heddle.version", Version.CURRENT);
    writer.metadata(TASK, task.toString());
    ModelDescription.of(model).toMap().forEach(writer::metadata);
    if (schema != null) {
      writer.metadata(ModelSchema.KEY, schema.toJson());
    }
    writer.write(file);
  }

  /**
   * The model of a file.
   *
   * @param network the user's own that the weights are of; null where it is a built-in one
   */
  public static ModelFile read(Path file, @Nullable CustomNetwork network, Memory memory) {
    try (Safetensors saved = Safetensors.open(file).verified()) {
      ModelDescription description = ModelDescription.of(saved.metadata(), network);
      Model model = create(file, description, saved, memory);
      model
          .parameters()
          .state()
          .forEach((name, value) -> {
            saved.read(name, value);
            requireFinite(file, name, value);
          });
      return new ModelFile(
          model,
          task(saved.metadata().getOrDefault(TASK, "")),
          Metric.named(saved.metadata().getOrDefault(METRIC, "accuracy")),
          schema(saved.metadata(), description.shape()));
    } catch (IllegalArgumentException e) {
      throw new CheckpointException(file, String.valueOf(e.getMessage()), e);
    }
  }

  /** A model in no more memory than the weights of its file can fill: what it says may be wrong. */
  private static Model create(
      Path file, ModelDescription description, Safetensors saved, Memory memory) {
    long values = saved.tensors().values().stream().mapToLong(TensorEntry::count).sum();
    long most = PADDED * Float.BYTES * values + saved.tensors().size() * PER_TENSOR;
    try {
      Memory limited = memory.childLimitedTo(Math.min(most, memory.available()));
      return Model.create(description.spec(), description.shape(), limited, 0);
    } catch (MemoryLimitException e) {
      if (most >= memory.available()) {
        throw e;
      }
      throw new CheckpointException(file, "describes a model that is larger than its weights", e);
    }
  }

  /** Refuses weights that are no numbers, from which only more of these would come. */
  static void requireFinite(Path file, String name, Matrix values) {
    for (int row = 0; row < values.rows(); row++) {
      for (int col = 0; col < values.cols(); col++) {
        float value = values.get(row, col);
        if (!Float.isFinite(value)) {
          throw new WeightFileException(
              file, "tensor '" + name + "' is " + value + " in row " + row + ", column " + col);
        }
      }
    }
  }

  /** Whether a file says what its model was trained on; it is not checked any further. */
  public static boolean hasSchema(Path file) {
    try (Safetensors saved = Safetensors.open(file)) {
      return saved.metadata().containsKey(ModelSchema.KEY);
    }
  }

  private static @Nullable ModelSchema schema(Map<String, String> metadata, Model.Shape shape) {
    String json = metadata.get(ModelSchema.KEY);
    if (json == null) {
      return null;
    }
    ModelSchema schema = ModelSchema.parse(json, shape.outputs());
    if (schema.width() != shape.features()) {
      throw new IllegalArgumentException(
          "its "
              + ModelSchema.KEY
              + " is wrong: width "
              + schema.width()
              + " of a model of "
              + shape.features());
    }
    return schema;
  }

  private static Task task(String name) {
    for (Task task : Task.values()) {
      if (task.toString().equals(name)) {
        return task;
      }
    }
    throw new IllegalArgumentException("does not say what its outputs mean");
  }
}
