package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What GNNPipe's stages of layers (arXiv 2308.10087) are worth beside parts of the graph: bytes of
 * an epoch, seconds over a slow network, scores. Prints Markdown tables and appends to CSV files.
 *
 * <p>Options: {@code --graphs}, {@code --models}, {@code --workers}, {@code --layers} (lists with
 * commas), {@code --hidden}, {@code --cells WORD} that a cell's name has in it, {@code --variants}
 * (a list with semicolons), {@code --latency}, {@code --csv FOLDER}, and of {@code --only bytes},
 * {@code times} and {@code scores} the one that is wished for; those of {@link PipelineTimes} and
 * {@link HaloScores}.
 */
final class PipelineBench {
  private PipelineBench() {}

  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    String only = options.word("only", "bytes");
    switch (only) {
      case "bytes" -> new PipelineBytes(options).print(cells(options, "gcn,sage,gcnii,resgcn"));
      case "times" -> new PipelineTimes(options).print(cells(options, "gcn,sage,gcnii,resgcn"));
      case "scores" -> {
        List<PipelineCell> cells = cells(options, "gcnii,resgcn");
        if (!cells.isEmpty()) {
          List<HaloVariant> variants =
              PipelineVariants.named(cells.getFirst().workers(), options.word("variants", ""));
          new HaloScores(variants, options).print(cells);
        }
      }
      default -> throw new IllegalArgumentException("--only bytes, times or scores, not " + only);
    }
  }

  private static List<PipelineCell> cells(Options options, String models) throws IOException {
    Path folder = Path.of("").toAbsolutePath();
    List<PipelineCell> cells = new ArrayList<>();
    String word = options.word("cells", "");
    for (String name :
        options.word("graphs", "squirrel,amazon-photo,coauthor-cs,wordnet").split(",", -1)) {
      HaloGraph graph = HaloGraph.prepare(folder, name, options);
      for (String model : options.word("models", models).split(",", -1)) {
        for (String workers : options.word("workers", "4,8").split(",", -1)) {
          for (String layers : options.word("layers", "32").split(",", -1)) {
            for (String hidden : options.word("hidden", "100").split(",", -1)) {
              cells.add(
                  new PipelineCell(
                      folder,
                      graph,
                      model,
                      Integer.parseInt(workers),
                      Integer.parseInt(layers),
                      Integer.parseInt(hidden),
                      options.word("latency", "0.2ms")));
            }
          }
        }
      }
    }
    return cells.stream().filter(cell -> cell.name().contains(word)).toList();
  }
}
