package dev.heddle.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Npy;
import dev.heddle.graph.NpyWriter;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Safetensors;
import dev.heddle.nn.TensorEntry;
import dev.heddle.train.run.ModelFile;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Exported models give PyTorch Geometric's logits: those of small ones are fixtures, which {@code
 * src/test/python/export_logits.py} made; where a Python has PyTorch Geometric ({@code
 * HEDDLE_PYTHON}, or python3), the documented script loads new ones.
 */
class TorchExportTest {
  private static final Path FIXTURES =
      Path.of(System.getProperty("heddle.root", "..")).resolve("train/src/test/resources/export");
  private static final Path SCRIPT =
      Path.of(System.getProperty("heddle.root", "..")).resolve("docs/guide/load_export.py");
  private static final Duration DEADLINE = Duration.ofMinutes(3);
  private static final double TOLERANCE = 1e-4;

  @TempDir private Path folder;

  private static void export(Path model, Path file) {
    try (Memory memory = Memory.limitedTo(1 << 28)) {
      ModelFile.read(model, null, memory).writeForTorch(file, memory);
    }
  }

  private static void assertClose(Matrix ours, Path theirs) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Npy npy = Npy.map(theirs, arena);
      assertThat(npy.size()).isEqualTo((long) ours.rows() * ours.cols());
      for (int row = 0; row < ours.rows(); row++) {
        for (int col = 0; col < ours.cols(); col++) {
          double expected = npy.floatAt(npy.index(row, col));
          assertThat((double) ours.get(row, col))
              .isCloseTo(expected, within(TOLERANCE * (1 + Math.abs(expected))));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"gcn", "sage", "gat", "gatv2", "gin"})
  void logitsAreThoseOfPytorchGeometric(String kind) throws IOException {
    Path model = FIXTURES.resolve(kind + ".model.safetensors");
    try (Graph graph =
            Graph.open(FIXTURES.resolve("graph"), ReadOptions.DEFAULT.withDirected(true));
        Inference inference = Inference.of(graph, model, Inference.Options.DEFAULT)) {
      assertClose(inference.outputs(), FIXTURES.resolve(kind + ".logits.npy"));
    }
    Path exported = folder.resolve("model.safetensors");
    export(model, exported);
    try (Memory memory = Memory.limitedTo(1 << 24);
        Safetensors ours = Safetensors.open(exported);
        Safetensors loaded = Safetensors.open(FIXTURES.resolve(kind + ".safetensors"))) {
      assertThat(shapes(ours)).isEqualTo(shapes(loaded));
      for (String name : ours.tensors().keySet()) {
        assertThat(values(ours, name, memory)).isEqualTo(values(loaded, name, memory));
      }
      assertThat(ours.metadata()).containsEntry("heddle.model.kind", kind);
    }
  }

  private static Map<String, List<Long>> shapes(Safetensors file) {
    Map<String, List<Long>> shapes = new TreeMap<>();
    for (Map.Entry<String, TensorEntry> tensor : file.tensors().entrySet()) {
      shapes.put(tensor.getKey(), tensor.getValue().shape());
    }
    return shapes;
  }

  private static float[] values(Safetensors file, String name, Memory memory) {
    int count = Math.toIntExact(Objects.requireNonNull(file.tensors().get(name)).count());
    int cols = Math.toIntExact(file.tensors().get(name).shape().getLast());
    Matrix matrix = Matrix.allocate(memory, count / cols, cols);
    file.read(name, matrix);
    float[] all = new float[count];
    for (int i = 0; i < count; i++) {
      all[i] = matrix.get(i / cols, i % cols);
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(names = {"GCNII", "RESGCN", "SGC", "APPNP", "MLP", "SAGE_POOL"})
  void modelsWithoutEqualModulesAreRefused(ModelKind kind) {
    Path model = folder.resolve("model.safetensors");
    try (Graph graph = SmallGraph.of(100, 5, 1);
        Training training =
            Training.of(
                graph, ModelSpec.of(kind).build(), TrainSettings.builder().epochs(1).build())) {
      training.save(model);
    }
    assertThatThrownBy(() -> export(model, folder.resolve("exported.safetensors")))
        .hasMessageContaining("gcn, sage, gat, gatv2 and gin have");
  }

  @Test
  void theDocumentedScriptLoadsModelsOfCora() throws IOException, InterruptedException {
    assumeTrue(
        python("import torch_geometric, safetensors.torch") == 0,
        "skipped: no python3 with torch, torch_geometric and safetensors; set HEDDLE_PYTHON");
    Path cora = RealGraphs.folder("cora");
    assumeTrue(Files.isDirectory(cora), "skipped: no " + cora);
    List<ModelKind> kinds =
        List.of(ModelKind.GCN, ModelKind.SAGE, ModelKind.GAT, ModelKind.GIN, ModelKind.GATV2);
    try (Graph graph = Graph.open(cora)) {
      writeInputs(graph);
      for (ModelKind kind : kinds) {
        ModelSpec spec = ModelSpec.of(kind).hidden(16).heads(4).outputHeads(2).build();
        try (Training training =
            Training.of(graph, spec, TrainSettings.builder().epochs(5).build())) {
          training.run();
          training.save(folder.resolve(kind + ".model"));
        }
        export(folder.resolve(kind + ".model"), folder.resolve(kind + ".safetensors"));
      }
      String script =
          """
          import sys, numpy, torch
          sys.path.insert(0, sys.argv[1])
          from load_export import load
          folder = sys.argv[2]
          x = torch.from_numpy(numpy.load(folder + "/x.npy"))
          edges = torch.from_numpy(numpy.load(folder + "/edges.npy").astype("int64").reshape(2, -1))
          for kind in sys.argv[3:]:
              with torch.no_grad():
                  logits = load(folder + "/" + kind + ".safetensors")(x, edges)
              numpy.save(folder + "/" + kind + ".npy", logits.numpy())
          """;
      String[] names = kinds.stream().map(ModelKind::toString).toArray(String[]::new);
      String[] words = new String[names.length + 3];
      words[0] = script;
      words[1] = Objects.requireNonNull(SCRIPT.toAbsolutePath().getParent()).toString();
      words[2] = folder.toString();
      System.arraycopy(names, 0, words, 3, names.length);
      assertThat(python(words)).as(Files.readString(folder.resolve("printed"))).isZero();
      for (ModelKind kind : kinds) {
        Path model = folder.resolve(kind + ".model");
        try (Inference inference = Inference.of(graph, model, Inference.Options.DEFAULT)) {
          assertClose(inference.outputs(), folder.resolve(kind + ".npy"));
        }
      }
    }
  }

  /** Dense features, and arcs as two rows: sources above destinations. */
  private void writeInputs(Graph graph) throws IOException {
    NpyWriter.write(
        folder.resolve("x.npy"),
        graph.vertices(),
        Objects.requireNonNull(graph.features()).width(),
        (row, into) -> {
          for (int c = 0; c < into.length; c++) {
            into[c] = 0;
          }
          switch (Objects.requireNonNull(graph.features())) {
            case DenseFeatures dense -> {
              for (int c = 0; c < into.length; c++) {
                into[c] = dense.matrix().get(row, c);
              }
            }
            case SparseFeatures sparse -> {
              Csr rows = sparse.byRow();
              for (long at = rows.offset(row); at < rows.offset(row + 1); at++) {
                into[rows.id(at)] = rows.weight(at);
              }
            }
          }
        });
    int arcs = Math.toIntExact(graph.arcs());
    int[] edges = new int[2 * arcs];
    for (int v = 0; v < graph.vertices(); v++) {
      for (long arc = graph.in().offset(v); arc < graph.in().offset(v + 1); arc++) {
        edges[(int) arc] = graph.in().id(arc);
        edges[arcs + (int) arc] = v;
      }
    }
    NpyWriter.write(folder.resolve("edges.npy"), edges);
  }

  /** Runs a script with arguments; what it prints is kept. */
  private int python(String... script) throws InterruptedException {
    String python = System.getenv().getOrDefault("HEDDLE_PYTHON", "python3");
    List<String> command = new ArrayList<>(List.of(python, "-c"));
    command.addAll(List.of(script));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("printed").toFile())
              .start();
      if (!process.waitFor(DEADLINE)) {
        process.destroyForcibly();
        throw new AssertionError("python did not end within " + DEADLINE);
      }
      return process.exitValue();
    } catch (IOException e) {
      return -1;
    }
  }
}
