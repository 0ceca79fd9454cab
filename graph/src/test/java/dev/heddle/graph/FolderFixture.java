package dev.heddle.graph;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A folder with a graph of five vertices, whole at first, whose files a test then spoils. */
final class FolderFixture {
  final Path path;

  FolderFixture(Path path) throws IOException {
    this.path = path;
    edges("src,dst\n0,1\n1,2\n2,0\n3,3\n3,4\n");
    npy("features.npy", new NpyBytes("<f4", "(5, 2)").floats(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    npy("labels.npy", new NpyBytes("<i4", "(5,)").ints(0, 1, 2, -1, 1));
    text("train.txt", "2\n0\n");
    text("valid.txt", "1\n");
    text("test.txt", "4\n");
  }

  FolderFixture edges(String lines) throws IOException {
    try (OutputStream out =
        new GZIPOutputStream(Files.newOutputStream(path.resolve("edges.csv.gz")))) {
      out.write(lines.getBytes(StandardCharsets.UTF_8));
    }
    return this;
  }

  FolderFixture text(String name, String lines) throws IOException {
    Files.writeString(path.resolve(name), lines);
    return this;
  }

  FolderFixture npy(String name, NpyBytes bytes) throws IOException {
    Files.write(path.resolve(name), bytes.toArray());
    return this;
  }

  FolderFixture delete(String name) throws IOException {
    Files.delete(path.resolve(name));
    return this;
  }

  /** Sparse features of five rows in place of the dense ones. */
  FolderFixture sparse(NpyBytes indptr, NpyBytes indices, NpyBytes data) throws IOException {
    Files.deleteIfExists(path.resolve("features.npy"));
    return npy("feat_indptr.npy", indptr)
        .npy("feat_indices.npy", indices)
        .npy("feat_data.npy", data);
  }

  /** Two splits as masks. */
  FolderFixture masks(NpyBytes train, NpyBytes valid, NpyBytes test) throws IOException {
    try (ZipOutputStream zip =
        new ZipOutputStream(Files.newOutputStream(path.resolve("splits10.npz")))) {
      put(zip, "train.npy", train);
      put(zip, "valid.npy", valid);
      put(zip, "test.npy", test);
    }
    return this;
  }

  private static void put(ZipOutputStream zip, String name, NpyBytes bytes) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(bytes.toArray());
    zip.closeEntry();
  }
}
