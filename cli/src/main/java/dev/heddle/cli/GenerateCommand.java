package dev.heddle.cli;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.store.Store;
import dev.heddle.kernel.ThreadTeam;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/** {@code heddle generate}. */
@Command(
    name = "generate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Makes a graph with communities, hubs and classes, as a store of any size.",
      "The same options give the same bytes, for any number of threads."
    },
    footer = {
      "",
      "Examples:",
      "  heddle generate --vertices 100000 --degree 20 --out communities",
      "  heddle generate --vertices 50000 --words 30 --width 2000 --train 0.01 --clustered --out words"
    })
final class GenerateCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--out", required = true, description = "The store to make.")
  private Path out = Path.of("");

  @Option(names = "--overwrite", description = "Replace a store that is there.")
  private boolean overwrite;

  @Option(names = "--vertices", description = "Vertices (default: ${DEFAULT-VALUE}).")
  private int vertices = 10_000;

  @Option(
      names = "--degree",
      description = "Arcs per vertex, both directions counted (default: ${DEFAULT-VALUE}).")
  private double degree = 20;

  @Option(
      names = "--exponent",
      description = "Of the degrees' power law; the larger, the more equal (default: 2.5).")
  private double exponent = 2.5;

  @Option(names = "--communities", description = "Communities (default: of 1,000 vertices each).")
  private int communities;

  @Option(names = "--classes", description = "Classes (default: ${DEFAULT-VALUE}).")
  private int classes = 10;

  @Option(
      names = "--homophily",
      description = "Share of arcs inside communities (default: ${DEFAULT-VALUE}).")
  private double homophily = 0.8;

  @Option(
      names = "--width",
      description = "Columns of the features; 0 for none (default: ${DEFAULT-VALUE}).")
  private int width = 64;

  @Option(
      names = "--words",
      description = "Make features sparse, of so many words per vertex; 0 for dense (default: 0).")
  private int words;

  @Option(
      names = "--noise",
      description = "Noise of the features, as a multiple of what tells classes (default: 4).")
  private double noise = 4;

  @Option(names = "--train", description = "Share of vertices to train on (default: 0.6).")
  private double train = 0.6;

  @Option(names = "--valid", description = "Share to validate with (default: 0.2).")
  private double valid = 0.2;

  @Option(
      names = "--clustered",
      description = "Train on whole communities instead of vertices from everywhere.")
  private boolean clustered;

  @Option(names = "--in-order", description = "Number vertices community by community.")
  private boolean inOrder;

  @Option(names = "--seed", description = "Seed of everything random (default: 0).")
  private long seed;

  @Option(names = "--threads", description = "Threads (default: all cores).")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(names = "--json", description = "Print one JSON object as the last line of the output.")
  private boolean json;

  @Override
  public Integer call() {
    CommunityGraph settings = settings();
    long start = System.nanoTime();
    try (ThreadTeam team = ThreadTeam.of(threads)) {
      settings.generate(team, out, overwrite);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    Store store = Store.open(out);
    try (Graph graph = store.graph(ReadOptions.DEFAULT)) {
      long bytes = store.fileBytes().values().stream().mapToLong(Long::longValue).sum();
      out()
          .printf(
              Locale.ROOT,
              "%s: %,d vertices, %,d arcs, %,d bytes, in %.1f s (%.2f million arcs/s)%n",
              out,
              graph.vertices(),
              graph.arcs(),
              bytes,
              seconds,
              graph.arcs() / seconds / 1e6);
      if (json) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("store", out.toString());
        fields.put("nodes", graph.vertices());
        fields.put("edges", graph.arcs());
        fields.put("bytes", bytes);
        fields.put("seconds", seconds);
        fields.put("rss", SystemMemory.peakBytes());
        out().println(new JsonMapper().writeValueAsString(fields));
      }
    }
    return 0;
  }

  private CommunityGraph settings() {
    CommunityGraph settings =
        CommunityGraph.of(vertices)
            .averageDegree(degree)
            .exponent(exponent)
            .classes(classes)
            .homophily(homophily)
            .width(width)
            .words(words)
            .noise(noise)
            .split(train, valid)
            .clustered(clustered)
            .shuffled(!inOrder)
            .seed(seed);
    return communities == 0 ? settings : settings.communities(communities);
  }

  private PrintWriter out() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    return spec.commandLine().getOut();
  }
}
