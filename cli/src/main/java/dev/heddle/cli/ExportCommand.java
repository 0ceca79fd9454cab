package dev.heddle.cli;

import dev.heddle.kernel.Memory;
import dev.heddle.train.run.ModelFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heddle export}: a trained model for PyTorch Geometric. */
@Command(
    name = "export",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Writes a trained model's weights to DIR/model.safetensors, by the names and in the shapes of",
      "PyTorch Geometric's modules. docs/guide/load_export.py loads them."
    },
    footer = {"", "Example:", "  heddle export runs/cora --out exported"})
final class ExportCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(paramLabel = "<run>", description = "Folder that heddle train left.")
  private Path folder = Path.of(".");

  @Option(names = "--out", required = true, description = "Folder for the weights.")
  private Path out = Path.of("exported");

  @Override
  public Integer call() throws IOException {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    Path file = out.resolve(RunFolder.MODEL);
    if (Files.exists(file)) {
      throw new InputException(file + ": is there already; take another --out");
    }
    SavedRun.requireModel(folder);
    try (Memory memory = SystemMemory.available()) {
      ModelFile model = ModelFile.read(folder.resolve(RunFolder.MODEL), null, memory);
      Files.createDirectories(out);
      model.writeForTorch(file, memory);
      spec.commandLine()
          .getOut()
          .println(model.model().spec().kind() + " for PyTorch Geometric: " + file);
    }
    return 0;
  }
}
