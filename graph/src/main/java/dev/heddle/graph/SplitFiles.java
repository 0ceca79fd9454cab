package dev.heddle.graph;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * The splits in a folder: {@code train.txt}, {@code valid.txt} and {@code test.txt} with an id a
 * line, and {@code splits10.npz} with a mask per split, {@code splits × vertices}.
 */
final class SplitFiles {
  private static final String[] PARTS = {"train", "valid", "test"};

  private final Path folder;

  /** The part that a vertex is in, counted from 1; 0 for none. */
  private final byte[] partOf;

  private SplitFiles(Path folder, int vertices) {
    this.folder = folder;
    this.partOf = new byte[vertices];
  }

  /** The split of that number, or null if the folder has none at all. */
  static @Nullable Split read(Path folder, int vertices, int number) {
    Path masks = folder.resolve("splits10.npz");
    boolean text = Arrays.stream(PARTS).anyMatch(p -> Files.exists(folder.resolve(p + ".txt")));
    SplitFiles files = new SplitFiles(folder, vertices);
    if (number == 0 && text) {
      for (int part = 0; part < PARTS.length; part++) {
        files.readText(part);
      }
    } else if (Files.exists(masks)) {
      files.readMasks(masks, number);
    } else if (number == 0) {
      return null;
    } else {
      throw new GraphFormatException(masks, "no such file, and only it has split " + number);
    }
    return files.split();
  }

  private void readText(int part) {
    try (FieldReader reader = FieldReader.open(folder.resolve(PARTS[part] + ".txt"))) {
      while (reader.atLine()) {
        reader.readField();
        int vertex = reader.vertex(partOf.length);
        if (reader.atNextField()) {
          throw reader.fault("more than one id");
        }
        if (partOf[vertex] == part + 1) {
          throw reader.fault("vertex " + vertex + " is repeated");
        }
        if (partOf[vertex] != 0) {
          throw reader.fault("vertex " + vertex + " is also in " + PARTS[partOf[vertex] - 1]);
        }
        partOf[vertex] = (byte) (part + 1);
      }
    }
  }

  private void readMasks(Path file, int number) {
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (int part = 0; part < PARTS.length; part++) {
        readMask(mask(zip, file, PARTS[part] + ".npy"), number, part);
      }
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + e.getMessage(), e);
    }
  }

  private static Npy mask(ZipFile zip, Path file, String name) throws IOException {
    ZipEntry entry = zip.getEntry(name);
    if (entry == null) {
      throw new GraphFormatException(file, "no " + name + " in it");
    }
    try (InputStream in = zip.getInputStream(entry)) {
      return Npy.of(file + "!" + name, in.readAllBytes());
    }
  }

  private void readMask(Npy mask, int number, int part) {
    mask.requireDimensions(2);
    if (mask.type() != Npy.Type.B1 || mask.size(1) != partOf.length) {
      throw mask.fault(
          "not a mask (|b1) of " + partOf.length + " vertices but " + mask.description());
    }
    if (number >= mask.size(0)) {
      throw mask.fault("split " + number + " is not among the " + mask.size(0));
    }
    for (int vertex = 0; vertex < partOf.length; vertex++) {
      if (mask.longAt(mask.index(number, vertex)) == 0) {
        continue;
      }
      if (partOf[vertex] != 0) {
        throw mask.fault("vertex " + vertex + " is also in " + PARTS[partOf[vertex] - 1]);
      }
      partOf[vertex] = (byte) (part + 1);
    }
  }

  private Split split() {
    int[][] parts = new int[PARTS.length][];
    for (int part = 0; part < PARTS.length; part++) {
      parts[part] = members(part + 1);
    }
    if (parts[0].length == 0) {
      throw new GraphFormatException(folder, "the train split is empty");
    }
    return new Split(parts[0], parts[1], parts[2]);
  }

  private int[] members(int part) {
    int count = 0;
    for (byte p : partOf) {
      count += p == part ? 1 : 0;
    }
    int[] members = new int[count];
    for (int vertex = 0, i = 0; i < count; vertex++) {
      if (partOf[vertex] == part) {
        members[i++] = vertex;
      }
    }
    return members;
  }
}
