package dev.heddle.cli;

import dev.heddle.graph.ColumnTreatment.Kind;
import dev.heddle.graph.store.LabelInfo;
import dev.heddle.graph.store.Store;
import dev.heddle.tables.imports.ImportSettings;
import dev.heddle.tables.imports.ImportSettings.EdgeColumns;
import dev.heddle.tables.imports.ImportSettings.EdgeRules;
import dev.heddle.tables.imports.ImportSettings.FeatureSettings;
import dev.heddle.tables.imports.ImportSettings.Missing;
import dev.heddle.tables.imports.ImportSettings.MissingNode;
import dev.heddle.tables.imports.ImportSettings.NodeColumns;
import dev.heddle.tables.imports.ImportSettings.SplitSettings;
import dev.heddle.tables.imports.ImportSettings.Task;
import dev.heddle.tables.imports.TableSettings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a user says of tables of vertices and edges. */
final class TableOptions {
  private static final FeatureSettings USUAL = FeatureSettings.GUESSED;

  @Option(
      names = "--nodes",
      split = ",",
      paramLabel = "<file>",
      description =
          "Instead of a folder: the table of vertices, as CSV, TSV (.gz, .zst), JSON lines or"
              + " Parquet; files, folders or globs, or a jdbc: URL with --nodes-query. Without it"
              + " vertices are those that edges name.")
  private List<String> nodes = List.of();

  @Option(
      names = "--edges",
      split = ",",
      paramLabel = "<file>",
      description = "The table of edges, likewise.")
  private List<String> edges = List.of();

  @Option(names = "--nodes-query", description = "SQL for --nodes jdbc:…")
  private @Nullable String nodesQuery;

  @Option(
      names = "--edges-query",
      description =
          "SQL for --edges jdbc:… User and password may be in the URL, or in HEDDLE_JDBC_USER and"
              + " HEDDLE_JDBC_PASSWORD.")
  private @Nullable String edgesQuery;

  @Option(
      names = "--encoding",
      description = "Of CSV: latin-1, windows-1252, utf-16 … (default: utf-8).")
  private @Nullable String encoding;

  @Option(
      names = "--delimiter",
      description = "Of CSV: a character, or tab (default: what the header has most of).")
  private @Nullable String delimiter;

  @Option(names = "--decimal-comma", description = "Numbers of CSV have commas for points.")
  private boolean decimalComma;

  @Option(names = "--date-format", description = "Of CSV: %%d.%%m.%%Y … (default: ISO 8601).")
  private @Nullable String dateFormat;

  @Option(
      names = "--id",
      description = "Column of --nodes (default: id, node_id, user_id … in whatever case).")
  private String id = ImportSettings.GUESS;

  @Option(
      names = "--label",
      split = ",",
      paramLabel = "<column>",
      description =
          "Columns of --nodes: one of classes, numbers or lists, or several (default: label, class,"
              + " target or y); none for none.")
  private List<String> labels = List.of();

  @Option(
      names = "--task",
      description = "What labels are: class, multi or number (default: by a look at them).")
  private @Nullable Task task;

  @Option(
      names = "--split",
      description =
          "Column of --nodes: train, valid, test or empty (default: split); none for none.")
  private String split = ImportSettings.GUESS;

  @Option(
      names = "--split-ratio",
      paramLabel = "<train/valid/test>",
      description = "Without a column: shares of the labelled vertices (default: 60/20/20).")
  private @Nullable String splitRatio;

  @Option(
      names = "--split-by-time",
      paramLabel = "<column>",
      description = "Instead of drawing: the earliest are for training, the latest for testing.")
  private @Nullable String splitTime;

  @Option(names = "--seed", description = "Of drawing a split (default: 0).")
  private long seed;

  @Option(
      names = "--feature",
      split = ",",
      paramLabel = "<column>=<kind>",
      description =
          "What a column of --nodes is: number, list, boolean, date, category, hashed, text"
              + " (default: by a look at it).")
  private Map<String, String> kinds = new LinkedHashMap<>();

  @Option(
      names = "--skip",
      split = ",",
      paramLabel = "<column>",
      description = "Columns of --nodes that are no features.")
  private Set<String> skipped = Set.of();

  @Option(
      names = "--missing",
      description =
          "What stands for a missing value: error, mean (of training rows), zero, or indicator, the"
              + " mean and a feature that says so (default: indicator).")
  private Missing missing = USUAL.missing();

  @Option(
      names = "--missing-words",
      split = ",",
      paramLabel = "<word>",
      description = "Words for nothing, beside the empty one (default: NA,N/A,null,NULL,None).")
  private Set<String> missingWords = USUAL.missingWords();

  @Option(
      names = "--standardise",
      description =
          "on, off: less the mean of training rows, divided by their deviation (default: on,"
              + " without --row-normalise).")
  private @Nullable OnOff standardise;

  @Option(
      names = "--buckets",
      description = "Features that words, or many categories, are hashed to (default: 64).")
  private int buckets = USUAL.buckets();

  @Option(
      names = "--like",
      paramLabel = "<store>",
      description =
          "Treat columns as an import did that made this store, learn nothing, and number classes"
              + " as it did: for a model that was trained on it.")
  private @Nullable Path like;

  @Option(names = "--source", description = "Column of --edges (default: src, source, from …).")
  private String source = ImportSettings.GUESS;

  @Option(names = "--target", description = "Column of --edges (default: dst, target, to …).")
  private String target = ImportSettings.GUESS;

  @Option(names = "--weight", description = "Column of --edges (default: weight); none for none.")
  private String weight = ImportSettings.GUESS;

  @Option(
      names = "--edge-type",
      description = "Column of --edges (default: type, etype, relation …); none for none.")
  private String type = ImportSettings.GUESS;

  @Option(
      names = "--time",
      description = "Column of --edges (default: time, timestamp, ts); none for none.")
  private String time = ImportSettings.GUESS;

  @Option(
      names = "--undirected",
      description = "Edges go both ways, as they do without --directed.")
  private boolean undirected;

  @Option(
      names = "--deduplicate",
      description =
          "Repeated edges of one type become one, their weights added, the latest time kept;"
              + " without --directed they always do.")
  private boolean deduplicate;

  @Option(names = "--drop-self-loops", description = "Leave out edges from a vertex to itself.")
  private boolean dropSelfLoops;

  @Option(
      names = "--on-missing-node",
      description = "An edge of an id that --nodes lacks: error, drop it, or add the vertex.")
  private MissingNode missingNode = MissingNode.ERROR;

  @Option(
      names = "--negative-weights",
      paramLabel = "keep",
      description = "keep: take negative weights, which most models cannot divide by sums of.")
  private @Nullable String negativeWeights;

  /** Whether the user speaks of tables at all. */
  boolean given() {
    return !edges.isEmpty() || !nodes.isEmpty();
  }

  ImportSettings settings(boolean directed, boolean rowNormalise) {
    if (edges.isEmpty()) {
      throw new InputException("--nodes needs --edges");
    }
    if (directed && undirected) {
      throw new InputException("--directed and --undirected say opposite things");
    }
    if (rowNormalise && standardise == OnOff.ON) {
      throw new InputException("--row-normalise divides values as they are: --standardise off");
    }
    if (negativeWeights != null && !negativeWeights.equals("keep")) {
      throw new InputException(
          "--negative-weights: there is no '" + negativeWeights + "'; there is keep");
    }
    if (buckets < 1) {
      throw new InputException("--buckets must be at least 1, not " + buckets);
    }
    return new ImportSettings(
        nodes.isEmpty() ? null : table("--nodes", nodes, nodesQuery),
        table("--edges", edges, edgesQuery),
        new NodeColumns(id, labels, split, task, classNames()),
        new EdgeColumns(source, target, weight, type, time),
        new FeatureSettings(
                kinds(),
                skipped,
                missing,
                missingWords,
                OnOff.or(standardise, !rowNormalise),
                buckets,
                decimalComma,
                dateFormat,
                rowNormalise,
                null)
            .like(like == null ? null : treated(like).treatment()),
        splitSettings(),
        new EdgeRules(directed, deduplicate, dropSelfLoops, negativeWeights != null, missingNode));
  }

  private TableSettings table(String option, List<String> files, @Nullable String query) {
    boolean jdbc = files.getFirst().startsWith("jdbc:");
    if (jdbc && query == null) {
      throw new InputException(option + " jdbc:… needs " + option + "-query");
    }
    if (!jdbc && query != null) {
      throw new InputException(option + "-query is for " + option + " jdbc:…");
    }
    // A URL may have commas of its own.
    return new TableSettings(
        jdbc ? List.of(String.join(",", files)) : files, query, encoding, delimiter());
  }

  private char delimiter() {
    if (delimiter == null) {
      return 0;
    }
    String said = delimiter.equalsIgnoreCase("tab") || delimiter.equals("\\t") ? "\t" : delimiter;
    if (said.length() != 1) {
      throw new InputException("--delimiter is one character, or tab, not '" + delimiter + "'");
    }
    return said.charAt(0);
  }

  private Map<String, Kind> kinds() {
    Map<String, Kind> named = new LinkedHashMap<>();
    kinds.forEach((column, label) -> {
      Kind kind = Kind.named(label.toLowerCase(Locale.ROOT));
      if (kind == null) {
        List<String> labelled = Arrays.stream(Kind.values()).map(Kind::label).toList();
        String hint = DidYouMean.hint(label, labelled);
        throw new InputException(
            "--feature "
                + column
                + ": there is no '"
                + label
                + "'"
                + (hint.isEmpty()
                    ? "; there are " + labelled.stream().collect(Collectors.joining(", "))
                    : hint));
      }
      named.put(column, kind);
    });
    return named;
  }

  private static Store treated(Path path) {
    Store store = Store.open(path);
    if (store.treatment() == null) {
      throw new InputException(path + ": its features were not made of columns of a table");
    }
    return store;
  }

  private @Nullable List<String> classNames() {
    LabelInfo info = like == null ? null : Store.open(like).labelInfo();
    return info == null || info.kind() != LabelInfo.Kind.CLASS ? null : info.names();
  }

  private SplitSettings splitSettings() {
    if (splitTime != null
        && !split.equals(ImportSettings.GUESS)
        && !split.equals(ImportSettings.NONE)) {
      throw new InputException("--split and --split-by-time say two things");
    }
    if (splitRatio == null) {
      return new SplitSettings(
          SplitSettings.USUAL.train(), SplitSettings.USUAL.valid(), splitTime, seed);
    }
    String[] shares = splitRatio.split("/", -1);
    try {
      double[] numbers = Arrays.stream(shares).mapToDouble(Double::parseDouble).toArray();
      double all = Arrays.stream(numbers).sum();
      if (numbers.length == 3
          && numbers[0] > 0
          && numbers[1] >= 0
          && numbers[2] >= 0
          && all < 1e9) {
        return new SplitSettings(numbers[0] / all, numbers[1] / all, splitTime, seed);
      }
    } catch (NumberFormatException _) {
      // As any other that is none.
    }
    throw new InputException("--split-ratio is like 60/20/20, not '" + splitRatio + "'");
  }
}
