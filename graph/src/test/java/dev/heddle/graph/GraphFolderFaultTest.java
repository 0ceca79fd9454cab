package dev.heddle.graph;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every way in which a folder may be wrong has one line that says so. */
class GraphFolderFaultTest {
  @TempDir Path path = Path.of("");

  private FolderFixture folder() throws IOException {
    return new FolderFixture(path);
  }

  private void fails(String file, String fault) {
    fails(file, fault, ReadOptions.DEFAULT);
  }

  private void fails(String file, String fault, ReadOptions options) {
    assertThatThrownBy(() -> Graph.open(path, options).close())
        .isInstanceOf(GraphFormatException.class)
        .hasMessage((file.isEmpty() ? path : path + "/" + file) + ": " + fault);
  }

  @Test
  void whatDoesNotFitMemoryIsRefused() throws IOException {
    folder().edges("src,dst\n0,1\n");
    assertThatThrownBy(
            () -> Graph.open(path, ReadOptions.DEFAULT.within(Memory.limitedTo(1000))).close())
        .isInstanceOf(GraphFormatException.class)
        .hasMessageStartingWith(path + ": too large: reading it needs ")
        .hasMessageEndingWith(" MB of memory or more, but may take 0.0 MB");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "''            | edges.csv.gz         | empty: the header src,dst is missing",
        "src;dst       | edges.csv.gz, line 1 | the header has no column 'src'",
        "src,to        | edges.csv.gz, line 1 | the header has no column 'dst'",
        "src,dst,src   | edges.csv.gz, line 1 | the header has 2 times the column 'src'",
        "src,dst/0,1/x,2 | edges.csv.gz, line 3 | 'x' is not a vertex id",
        "src,dst/0,1.0 | edges.csv.gz, line 2 | '1.0' is not a vertex id",
        "src,dst/0,-1  | edges.csv.gz, line 2 | '-1' is not a vertex id",
        "src,dst/0,    | edges.csv.gz, line 2 | '' is not a vertex id",
        "src,dst/0, 1  | edges.csv.gz, line 2 | ' 1' is not a vertex id",
        "src,dst/0,12345678901234567890 | edges.csv.gz, line 2 | '12345678901234567890' is not a vertex id",
        "src,dst//5,0  | edges.csv.gz, line 3 | vertex id 5 is out of range: ids go from 0 to 4",
        "src,dst/0,3000000000 | edges.csv.gz, line 2 | vertex id 3000000000 is out of range: ids go from 0 to 4",
        "src,dst/0     | edges.csv.gz, line 2 | 1 columns where the header has 2",
        "src,dst/0,1,2 | edges.csv.gz, line 2 | more columns than the 2 of the header",
        "src,dst,weight/0,1,heavy | edges.csv.gz, line 2 | 'heavy' is not a finite number",
        "src,dst,weight/0,1,NaN | edges.csv.gz, line 2 | 'NaN' is not a finite number",
        "src,dst,weight/0,1, | edges.csv.gz, line 2 | '' is not a finite number",
      })
  void edges(String lines, String where, String fault) throws IOException {
    folder().edges(lines.equals("''") ? "" : lines.replace('/', '\n'));
    fails(where, fault);
  }

  @Test
  void missingFiles() throws IOException {
    Path none = path.resolve("none");
    assertThatThrownBy(() -> Graph.open(none)).hasMessage(none + ": no such folder");
    FolderFixture folder = folder().delete("valid.txt");
    fails("valid.txt", "no such file");
    folder.delete("edges.csv.gz");
    fails("edges.csv.gz", "no such file");
    fails("edges.csv.gz", "no such file", ReadOptions.DEFAULT.withSplit(3));
  }

  @Test
  void compressedDataThatEndEarly() throws IOException {
    folder();
    Path edges = path.resolve("edges.csv.gz");
    byte[] whole = Files.readAllBytes(edges);
    Files.write(edges, Arrays.copyOf(whole, whole.length - 12));
    assertThatThrownBy(() -> Graph.open(path).close())
        .isInstanceOf(GraphFormatException.class)
        .hasMessageContaining("edges.csv.gz, line ")
        .hasMessageContaining("cannot be read: ");
    Files.writeString(edges, "src,dst\n0,1\n");
    fails("edges.csv.gz", "cannot be read: Not in GZIP format");
  }

  @Test
  void noVertices() throws IOException {
    FolderFixture folder = folder().edges("src,dst\n").delete("features.npy").delete("labels.npy");
    folder.delete("train.txt").delete("valid.txt").delete("test.txt");
    fails("edges.csv.gz", "no vertices");
  }

  @Test
  void denseFeatures() throws IOException {
    FolderFixture folder = folder();
    float nan = Float.NaN;
    float inf = Float.NEGATIVE_INFINITY;
    folder.npy("features.npy", new NpyBytes("<f4", "(2, 2)").floats(0, 1, nan, 3));
    fails("features.npy", "row 1, column 0 is NaN");
    folder.npy("features.npy", new NpyBytes("<f4", "(2, 2)").floats(0, inf, 2, 3));
    fails("features.npy", "row 0, column 1 is -Infinity");
    folder.npy("features.npy", new NpyBytes("<f4", "(4,)").floats(0, 1, 2, 3));
    fails("features.npy", "shape (4,) where 2 dimensions are expected");
    folder.npy("features.npy", new NpyBytes("<f4", "(5, 0)"));
    fails("features.npy", "no columns");
    folder.npy("features.npy", new NpyBytes("<f4", "(2, 2)").floats(0, 1, 2, 3));
    fails("labels.npy", "5 labels, but features of 2 vertices");
    folder.npy("feat_data.npy", new NpyBytes("<f4", "(1,)").floats(0));
    fails("", "both dense features.npy and sparse feat_*.npy");
  }

  @Test
  void sparseFeatures() throws IOException {
    FolderFixture folder = folder();
    NpyBytes indptr = new NpyBytes("<i8", "(6,)").longs(0, 1, 1, 1, 1, 2);
    NpyBytes indices = new NpyBytes("<i4", "(2,)").ints(0, 3);
    NpyBytes data = new NpyBytes("<f4", "(2,)").floats(1, 1);
    folder.sparse(new NpyBytes("<i8", "(6,)").longs(1, 1, 1, 1, 1, 2), indices, data);
    fails("feat_indptr.npy", "does not begin with 0");
    folder.sparse(new NpyBytes("<i8", "(0,)"), indices, data);
    fails("feat_indptr.npy", "does not begin with 0");
    folder.sparse(new NpyBytes("<i8", "(6,)").longs(0, 2, 1, 1, 1, 2), indices, data);
    fails("feat_indptr.npy", "row 1 ends before it begins");
    folder.sparse(new NpyBytes("<i8", "(6,)").longs(0, 1, 1, 1, 1, 3), indices, data);
    fails("feat_indices.npy", "2 columns, but feat_indptr.npy ends with 3");
    folder.sparse(new NpyBytes("<f8", "(6,)").doubles(0, 1, 1, 1, 1, 2), indices, data);
    fails("feat_indptr.npy", "holds <f8, not integers");
    folder.sparse(indptr, new NpyBytes("<i4", "(2,)").ints(0, -3), data);
    fails("feat_indices.npy", "value 1 is -3, which is not a column");
    folder.sparse(indptr, indices, new NpyBytes("<f4", "(1,)").floats(1));
    fails("feat_data.npy", "1 values for 2 columns in feat_indices.npy");
    folder.sparse(indptr, indices, new NpyBytes("<f4", "(2,)").floats(1, Float.POSITIVE_INFINITY));
    fails("feat_data.npy", "value 1 is Infinity");
    folder.sparse(indptr, indices, data).delete("feat_indices.npy");
    fails("feat_indices.npy", "no such file");
  }

  @Test
  void labels() throws IOException {
    FolderFixture folder = folder();
    folder.npy("labels.npy", new NpyBytes("<i4", "(5,)").ints(0, 1, 2, -2, 1));
    fails(
        "labels.npy",
        "vertex 3 has label -2: labels go from -1 (none) up and are fewer than vertices");
    folder.npy("labels.npy", new NpyBytes("<i4", "(5,)").ints(0, 1, 5, -1, 1));
    fails(
        "labels.npy",
        "vertex 2 has label 5: labels go from -1 (none) up and are fewer than vertices");
    folder.npy("labels.npy", new NpyBytes("<i4", "(4,)").ints(0, 1, 2, 1));
    fails("labels.npy", "4 labels, but features of 5 vertices");
    folder.npy("labels.npy", new NpyBytes("<f4", "(5,)").floats(0, 1, 2, Float.NaN, 1));
    fails("labels.npy", "vertex 3 has value NaN");
    folder.npy("labels.npy", new NpyBytes("<i4", "(5, 1)").ints(0, 1, 1, 2, 0));
    fails("labels.npy", "vertex 3 has 2 for label 0, not 0 or 1");
    folder.npy("labels.npy", new NpyBytes("<i4", "(5, 1, 1)").ints(0, 1, 1, 2, 0));
    fails("labels.npy", "shape (5, 1, 1) where 2 dimensions are expected");
    folder.npy("labels.npy", new NpyBytes("<i4", "(5,)").ints(0, 1, -1, 2, 0));
    fails("labels.npy", "vertex 2 is in the split but has no label");
  }

  @Test
  void textSplits() throws IOException {
    FolderFixture folder = folder();
    folder.text("valid.txt", "1\n2\n");
    fails("valid.txt, line 2", "vertex 2 is also in train");
    folder.text("valid.txt", "1\n1\n");
    fails("valid.txt, line 2", "vertex 1 is repeated");
    folder.text("valid.txt", "1,2\n");
    fails("valid.txt, line 1", "more than one id");
    folder.text("valid.txt", "\n5\n");
    fails("valid.txt, line 2", "vertex id 5 is out of range: ids go from 0 to 4");
    folder.text("valid.txt", "one");
    fails("valid.txt, line 1", "'one' is not a vertex id");
    folder.text("valid.txt", "").text("train.txt", "\n");
    fails("", "the train split is empty");
  }

  @Test
  void masks() throws IOException {
    FolderFixture folder = folder();
    ReadOptions second = ReadOptions.DEFAULT.withSplit(1);
    fails("splits10.npz", "no such file, and only it has split 1", second);
    NpyBytes none = new NpyBytes("|b1", "(2, 5)").bytes(new int[10]);
    NpyBytes all = new NpyBytes("|b1", "(2, 5)").bytes(1, 1, 1, 0, 1, 1, 1, 1, 0, 1);
    folder.masks(all, none, all);
    fails("splits10.npz!test.npy", "vertex 0 is also in train", second);
    folder.masks(none, all, none);
    fails("", "the train split is empty", second);
    folder.masks(all, none, none);
    fails("splits10.npz!train.npy", "split 2 is not among the 2", ReadOptions.DEFAULT.withSplit(2));
    folder.masks(new NpyBytes("|b1", "(2, 4)").bytes(new int[8]), none, none);
    fails(
        "splits10.npz!train.npy", "not a mask (|b1) of 5 vertices but |b1 of shape (2, 4)", second);
    folder.text("splits10.npz", "not a zip");
    assertThatThrownBy(() -> Graph.open(path, second).close())
        .isInstanceOf(GraphFormatException.class)
        .hasMessageContaining("splits10.npz: cannot be read: ");
    assertThatThrownBy(() -> ReadOptions.DEFAULT.withSplit(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void messagesAreOneLine() throws IOException {
    folder().edges("src,dst\nabc\u0001\u0085\u2028def,1\n");
    fails("edges.csv.gz, line 2", "'abc???def' is not a vertex id");
  }
}
