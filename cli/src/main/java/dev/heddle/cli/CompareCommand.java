package dev.heddle.cli;

import dev.heddle.cli.compare.Comparison;
import dev.heddle.cli.compare.ComparisonFolder;
import dev.heddle.cli.compare.ComparisonJson;
import dev.heddle.cli.compare.ComparisonPage;
import dev.heddle.cli.compare.ComparisonTables;
import dev.heddle.cli.compare.Turns;
import dev.heddle.cli.compare.Variant;
import dev.heddle.train.run.Version;
import dev.heddle.train.settings.Preset;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heddle compare}: several settings on one graph, side by side. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Trains variants on one graph in turns, and puts what they came to side by side.",
      "What varies are presets, or any options of heddle train; what else those options say holds"
          + " for all. Ended early, the same command with the same --out goes on."
    },
    footer = {
      "",
      "Examples:",
      "  heddle compare --presets all --link 100Mbit --out runs/presets",
      "  heddle compare --presets vanilla-full,adaqp --seeds 5 --target 0.85",
      "  heddle compare run.yaml --vary codec=fp32,bits4 --vary lr=0.01,0.003",
      "  heddle compare --vary 'fanout=15,10;10,5' --batch 1024"
    })
@SuppressWarnings("UnusedVariable") // What options of heddle train say is looked up by their names.
final class CompareCommand implements Callable<Integer> {
  /** What a comparison says of each run itself. */
  private static final Set<String> PER_RUN = Set.of("out", "save", "seed");

  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "<run.yaml>",
      description = "File that says what flags of heddle train say; flags win.")
  private @Nullable Path config;

  @Option(
      names = "--presets",
      split = ",",
      paramLabel = "<names>",
      description = {
        "Presets to compare, or all, with commas between.",
        "With the same workers, model, layers and links for all."
      })
  private @Nullable List<String> presets;

  @Option(
      names = "--vary",
      paramLabel = "<option=values>",
      description = {
        "An option of heddle train and its values: lr=0.01,0.003.",
        "Given several times, all combinations are compared. Where values have commas themselves,"
            + " semicolons are between them."
      })
  private @Nullable List<String> vary;

  @Option(
      names = "--seeds",
      description = {
        "Runs of each variant, with --seed and those after it.",
        "A round of all variants for each."
      })
  private int seeds = 1;

  @Option(
      names = "--target",
      description = {"Validation score to take times to (default: 99 %% of the lowest best)."})
  private @Nullable Double target;

  @Mixin private GraphOptions graph = new GraphOptions();
  @Mixin private ModelOptions model = new ModelOptions();
  @Mixin private TrainingOptions training = new TrainingOptions();
  @Mixin private BatchOptions batches = new BatchOptions();
  @Mixin private WorkerOptions workers = new WorkerOptions();
  @Mixin private KnobOptions knobs = new KnobOptions();
  @Mixin private RunOptions run = new RunOptions();

  @Option(names = "--help-all", description = "Show all options and exit.")
  private boolean helpAll;

  @Option(names = "--json", description = "Print one JSON object as the last line of output.")
  private boolean json;

  @Override
  public Integer call() {
    if (seeds < 1) {
      throw new InputException("--seeds must be at least 1, not " + seeds);
    }
    Map<String, String> said = said();
    long first = firstSeed(said);
    PER_RUN.forEach(said::remove);
    ComparedVariants compared = new ComparedVariants(train(), said, varied());
    List<Variant> variants = compared.all();
    if (variants.size() * seeds < 2) {
      throw new InputException(
          "there is one run, and nothing to compare it with: give --presets or --vary several"
              + " values");
    }
    List<Long> all = LongStream.range(first, first + seeds).boxed().toList();
    Path out = run.out() != null ? run.out() : RunFolder.named("comparison");
    ComparisonFolder folder = new ComparisonFolder(out, variants);
    try (RunFolder _ = RunFolder.open(out);
        Turns turns = new Turns(folder, variants, all, OwnProcess::command, err())) {
      folder.claim(variants, Version.CURRENT);
      begin(folder, variants, compared.filledIn());
      if (!turns.take()) {
        err().println("stopped; the same command with --out " + out + " goes on");
        return TrainCommand.INTERRUPTED;
      }
      String name = said.getOrDefault("graph", graph.graph());
      var comparison = Comparison.of(name, common(said, compared), all, target, turns.results());
      finish(folder, comparison);
      return comparison.isWhole() ? 0 : Errors.FAILURE;
    }
  }

  private void begin(
      ComparisonFolder folder, List<Variant> variants, Map<String, String> filledIn) {
    if (!filledIn.isEmpty()) {
      err().println("filled in for all " + words(filledIn));
    }
    Path relative = folder.path();
    for (Variant variant : variants) {
      Path file = folder.settings(variant);
      folder.write(
          relative.relativize(file).toString(),
          RunFile.of(variant.settings(), "# heddle train --config\n"));
    }
  }

  private void finish(ComparisonFolder folder, Comparison comparison) {
    ComparisonTables tables = new ComparisonTables(comparison);
    String summary = ComparisonJson.of(comparison, Version.CURRENT);
    folder.write("comparison.json", summary + "\n");
    folder.write("comparison.md", tables.markdown());
    folder.write("comparison.csv", tables.csv());
    folder.write("epochs.csv", tables.epochsCsv());
    folder.write("comparison.html", ComparisonPage.of(comparison));
    PrintWriter out = spec().commandLine().getOut();
    out.println();
    out.print(tables.text());
    out.println("page     " + folder.path().resolve("comparison.html"));
    out.println("tables   " + folder.path().resolve("comparison.md") + ", .csv, .json; epochs.csv");
    if (json) {
      out.println(summary);
    }
    out.flush();
  }

  /** What the run file and flags say, by key; a flag that was not given says nothing. */
  private Map<String, String> said() {
    Map<String, String> said = new LinkedHashMap<>();
    if (config != null) {
      said.putAll(RunFile.read(config, train()));
    }
    for (OptionSpec option : Keys.of(train())) {
      OptionSpec own = spec().findOption(option.longestName());
      if (own != null && spec().commandLine().getParseResult().hasMatchedOption(own)) {
        said.put(Keys.name(own), Objects.toString(own.getValue()));
      }
    }
    if (said.containsKey("save")) {
      throw new InputException("--save is for one run; those of a comparison keep their models");
    }
    if (presets != null && said.containsKey("preset")) {
      throw new InputException("--preset is one of --presets: give either");
    }
    return said;
  }

  /** The seed of the first round. */
  private static long firstSeed(Map<String, String> said) {
    String seed = said.getOrDefault("seed", "0");
    try {
      return Long.parseLong(seed);
    } catch (NumberFormatException e) {
      throw new InputException("seed: '" + seed + "' is no whole number", e);
    }
  }

  private VariedOptions varied() {
    VariedOptions varied = new VariedOptions(train());
    if (presets != null) {
      varied.add("preset", presets.equals(List.of("all")) ? allPresets() : presets);
    }
    if (vary != null) {
      vary.forEach(varied::add);
    }
    if (varied.isEmpty() && seeds == 1) {
      throw new InputException(
          "say what to compare: --presets all, or --vary with an option and values, as in"
              + " --vary lr=0.01,0.003");
    }
    return varied;
  }

  private static List<String> allPresets() {
    return Arrays.stream(Preset.values()).map(Preset::toString).toList();
  }

  private static String common(Map<String, String> said, ComparedVariants compared) {
    Map<String, String> common = new TreeMap<>(said);
    common.putAll(compared.filledIn());
    common.remove("graph");
    return common.isEmpty() ? "nothing else said" : words(common);
  }

  private static String words(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(each -> "--" + each.getKey() + " " + each.getValue())
        .collect(Collectors.joining(" "));
  }

  private CommandSpec train() {
    return Heddle.trainCommand(spec().commandLine().getParent()).getCommandSpec();
  }

  private PrintWriter err() {
    return spec().commandLine().getErr();
  }

  private CommandSpec spec() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    return spec;
  }
}
