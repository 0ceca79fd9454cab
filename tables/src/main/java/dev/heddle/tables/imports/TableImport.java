package dev.heddle.tables.imports;

import dev.heddle.graph.FeatureScaling;
import dev.heddle.graph.FeatureSchema;
import dev.heddle.graph.Split;
import dev.heddle.graph.Treatment;
import dev.heddle.graph.store.LabelInfo;
import dev.heddle.graph.store.StoreDraft;
import dev.heddle.graph.store.StoreWriter;
import dev.heddle.kernel.Memory;
import dev.heddle.tables.DuckDb;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes a store of a table of vertices and a table of edges. Memory grows with neither: DuckDB has
 * a limit, rows stream, arcs are sorted on disk; what grows with vertices are their numbers.
 *
 * <p>What is wrong is told in {@link ImportException}s, all of a table at once.
 */
public final class TableImport implements AutoCloseable {
  private static final List<String> IDS =
      List.of("id", "node_id", "nodeid", "node", "vertex", "vertex_id", "user_id", "key");
  private static final List<String> LABELS = List.of("label", "class", "target", "y");
  private static final List<String> SPLITS = List.of("split");
  private static final List<String> SOURCES =
      List.of("src", "source", "from", "src_id", "source_id", "from_id", "follower");
  private static final List<String> TARGETS =
      List.of("dst", "target", "to", "dst_id", "target_id", "to_id", "followee", "destination");
  private static final List<String> WEIGHTS = List.of("weight");
  private static final List<String> TYPES = List.of("type", "etype", "edge_type", "relation");
  private static final List<String> TIMES = List.of("time", "timestamp", "ts");

  private final ImportSettings settings;
  private final ImportProgress progress;
  private final Values values;
  private final DuckDb db;
  private final NodeTable nodes;
  private final @Nullable Source nodeSource;
  private final EdgeTable edges;
  private final FeatureTable features;
  private final List<ColumnGuess> guesses;
  private final @Nullable Target target;
  private final @Nullable SourceColumn split;
  private final @Nullable SourceColumn splitTime;

  private TableImport(ImportSettings settings, DuckDb db, PrintWriter log) {
    this.settings = settings;
    this.db = db;
    this.progress = new ImportProgress(log);
    this.values = new Values(settings.features());
    TableSettings nodeTable = settings.nodes();
    nodeSource = nodeTable == null ? null : Source.open(db, "nodes", nodeTable);
    edges = edges(Source.open(db, "edges", settings.edges()), settings.edgeColumns());
    Problems problems = new Problems();
    if (nodeSource == null) {
      nodes = NodeTable.read(db, null, null, problems);
      features = new FeatureTable(db, nodes, values, settings.features());
      guesses = List.of();
      target = null;
      split = null;
      splitTime = null;
      return;
    }
    ImportSettings.NodeColumns said = settings.nodeColumns();
    SourceColumn id = column(nodeSource, said.id(), IDS, "--id");
    if (id == null) {
      throw nodeSource.missing("none of the columns is called id", "--id COLUMN");
    }
    List<SourceColumn> labels = labels(nodeSource, said);
    split = column(nodeSource, said.split(), SPLITS, "--split");
    String time = settings.split().time();
    splitTime = time == null ? null : nodeSource.require(time, "--split-by-time COLUMN");
    nodes = NodeTable.read(db, nodeSource, id, problems);
    guesses = guesses(nodeSource, id, labels);
    features = new FeatureTable(db, nodes, values, settings.features());
    features.check(guesses, problems);
    target = Target.of(db, nodes, labels, said, values, problems);
    problems.check();
  }

  /**
   * Looks at the tables; nothing is written but temporary files.
   *
   * @param folder for these, removed at the end
   * @param memory bytes that DuckDB may take
   * @param log for how far it is
   */
  public static TableImport open(
      ImportSettings settings, Path folder, long memory, PrintWriter log) {
    DuckDb db = DuckDb.open(folder, memory);
    try {
      return new TableImport(settings, db, log);
    } catch (RuntimeException | Error e) {
      db.close();
      throw e;
    }
  }

  private static @Nullable SourceColumn column(
      Source source, String said, List<String> usual, String option) {
    if (said.equals(ImportSettings.NONE) && source.find(said) == null) {
      return null;
    }
    return said.equals(ImportSettings.GUESS)
        ? source.findLike(usual)
        : source.require(said, option + " COLUMN");
  }

  private static List<SourceColumn> labels(Source source, ImportSettings.NodeColumns said) {
    List<SourceColumn> labels = new ArrayList<>();
    if (said.labels().isEmpty()) {
      SourceColumn label = source.findLike(LABELS);
      return label == null ? List.of() : List.of(label);
    }
    for (String name : said.labels()) {
      SourceColumn label = column(source, name, LABELS, "--label");
      if (label != null) {
        labels.add(label);
      }
    }
    return labels;
  }

  private static EdgeTable edges(Source source, ImportSettings.EdgeColumns said) {
    SourceColumn from = column(source, said.source(), SOURCES, "--source");
    SourceColumn to = column(source, said.target(), TARGETS, "--target");
    if (from == null || to == null) {
      throw source.missing(
          "which columns hold the ends of edges is not clear", "--source COLUMN --target COLUMN");
    }
    return new EdgeTable(
        source,
        from,
        to,
        column(source, said.weight(), WEIGHTS, "--weight"),
        column(source, said.type(), TYPES, "--edge-type"),
        column(source, said.time(), TIMES, "--time"));
  }

  private List<ColumnGuess> guesses(Source source, SourceColumn id, List<SourceColumn> labels) {
    settings
        .features()
        .kinds()
        .keySet()
        .forEach(name -> source.require(name, "--feature COLUMN=KIND"));
    settings.features().skipped().forEach(name -> source.require(name, "--skip COLUMN"));
    Set<SourceColumn> others = labels.stream().collect(Collectors.toSet());
    others.add(id);
    if (split != null) {
      others.add(split);
    }
    List<SourceColumn> rest = source.columns().stream().filter(c -> !others.contains(c)).toList();
    List<ColumnGuess> looked = ColumnGuess.of(db, nodes, rest, values, settings.features());
    Treatment like = settings.features().like();
    return like == null ? looked : FeatureTable.like(like, source, looked);
  }

  /** What the columns are taken for, as a table for the user, and how to say otherwise. */
  public List<String> guess() {
    return GuessTable.lines(nodeSource, nodes, guesses, target, split, edges, settings);
  }

  /** Writes the store, which is there when this returns. */
  public ImportReport write(Path out, boolean overwrite, Memory memory) {
    long start = System.nanoTime();
    try (StoreDraft draft = StoreDraft.begin(out, overwrite)) {
      long added =
          settings.rules().missingNode() == ImportSettings.MissingNode.ADD || nodeSource == null
              ? nodes.add(edges.source(), edges.ends())
              : 0;
      int vertices = nodes.number();
      nodes.write(draft);
      BitSet labelled = new BitSet(vertices);
      LabelInfo labels = target == null ? null : target.write(db, nodes, vertices, draft, labelled);
      Split parts = parts(labelled);
      if (parts != null) {
        StoreWriter.split(draft, 0, parts);
      }
      long unknown = features(draft, RowSplit.training(parts, nodes.rows()), vertices);
      EdgeTable.Counts counts =
          edges.write(db, nodes, vertices, values, settings.rules(), draft, memory, progress);
      draft.bothWays(!settings.rules().directed());
      draft.commit(name(), counts.symmetric(), labels);
      double seconds = (System.nanoTime() - start) * 1e-9;
      return new ImportReport(
          nodes.rows(),
          added,
          vertices,
          nodes.whole(),
          labels,
          labelled.cardinality(),
          parts,
          unknown,
          counts,
          seconds);
    }
  }

  private long features(StoreDraft draft, BitSet training, int vertices) {
    if (features.isEmpty()) {
      return 0;
    }
    Treatment treatment = settings.features().like();
    if (treatment == null) {
      progress.begin("learning from training rows", nodes.rows());
      treatment = features.learn(training, progress);
    } else {
      Problems problems = new Problems();
      features.requireWidths(treatment, problems);
      problems.check();
    }
    requireDistinct(treatment.featureNames());
    FeatureSchema schema = FeatureSchema.of(treatment);
    boolean divided = settings.features().rowNormalise();
    draft.features(divided ? schema.withScaling(FeatureScaling.ROW_SUM) : schema);
    progress.begin("features", vertices);
    return features.write(draft, treatment, vertices, progress);
  }

  /** Features are found again by name. */
  private void requireDistinct(List<String> names) {
    Set<String> seen = new HashSet<>();
    Problems problems = new Problems();
    for (String name : names) {
      if (!seen.add(name)) {
        problems.add(
            "nodes", "two features would be called '" + name + "': --skip one of their columns");
      }
    }
    problems.check();
  }

  private @Nullable Split parts(BitSet labelled) {
    Problems problems = new Problems();
    RowSplit rows = new RowSplit(db, nodes, values, labelled);
    Split parts =
        split != null && splitTime == null
            ? rows.byColumn(split, problems)
            : target == null || labelled.isEmpty() || settings.features().like() != null
                ? null
                : splitTime != null
                    ? rows.byTime(splitTime, settings.split(), problems)
                    : rows.drawn(settings.split());
    problems.check();
    return parts;
  }

  private String name() {
    String file = edges.source().parts().getFirst().name().replaceAll(".*/", "");
    String name = file.replaceAll("[.:( ].*", "");
    return name.isEmpty() ? "tables" : name;
  }

  @Override
  public void close() {
    db.close();
  }
}
