package dev.heddle.train.layers;

import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.SafetensorsWriter;
import dev.heddle.nn.WeightFileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The rows of history beside a checkpoint: {@code epoch-000120.rows-1-0.safetensors} has those of
 * stage 1, way 0. Values are named by their section, so that stages that are cut otherwise find
 * them too.
 *
 * @param identity what must be the same for the rows to mean the same: way, chunks, seed
 */
record HistoryFiles(Path folder, String identity) {
  private static final String IDENTITY = "heddle.rows";
  private static final String EPOCH = "epoch";

  /** Writes what a worker has after an epoch. */
  void write(int epoch, Place place, HistoryHalo halo) {
    SafetensorsWriter writer = new SafetensorsWriter().checksummed();
    writer.metadata(IDENTITY, identity);
    matrices(halo).forEach(writer::add);
    writer.add(EPOCH, new long[] {halo.progress().historyEpoch()});
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String name =
        String.format(
            Locale.ROOT, "%srows-%d-%d.safetensors", prefix(epoch), place.stage(), place.way());
    writer.write(folder.resolve(name));
  }

  private static String prefix(int epoch) {
    return String.format(Locale.ROOT, "epoch-%06d.", epoch);
  }

  /**
   * Reads what a worker needs to go on after an epoch, whoever has written it.
   *
   * @return whether all of it was there
   */
  boolean read(int epoch, HistoryHalo halo) {
    Map<String, Matrix> wanted = matrices(halo);
    long from = Long.MIN_VALUE;
    for (Path file : files(epoch)) {
      try (Safetensors saved = Safetensors.open(file).verified()) {
        if (identity.equals(saved.metadata().get(IDENTITY))) {
          wanted
              .entrySet()
              .removeIf(each -> {
                boolean here = saved.tensors().containsKey(each.getKey());
                if (here) {
                  saved.read(each.getKey(), each.getValue());
                }
                return here;
              });
          from = saved.longs(EPOCH)[0];
        }
      } catch (WeightFileException e) {
        // As good as none: rows are then made anew.
        return false;
      }
    }
    if (!wanted.isEmpty() || from == Long.MIN_VALUE) {
      return false;
    }
    halo.progress().renewed(Math.toIntExact(from));
    return true;
  }

  private List<Path> files(int epoch) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(f -> f.getFileName().toString().startsWith(prefix(epoch) + "rows-"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Map<String, Matrix> matrices(HistoryHalo halo) {
    Map<String, Matrix> matrices = new LinkedHashMap<>();
    for (ValueRows value : halo.values()) {
      if (!value.value().once()) {
        matrices.put(value.name(), value.history());
        CarriedGradients carried = value.carried();
        for (int c = 0; carried != null && c < halo.rows().chunks(); c++) {
          matrices.put(value.name() + ".carried-" + c, carried.last(c));
        }
      }
    }
    return matrices;
  }
}
