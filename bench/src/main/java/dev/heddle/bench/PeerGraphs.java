package dev.heddle.bench;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.ReadOptions;
import dev.heddle.graph.VertexOrder;
import dev.heddle.graph.store.Store;
import dev.heddle.graph.store.StoreWriter;
import dev.heddle.graph.wordnet.WordNet;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The graphs of the benchmarks, by name, made at first use and kept in a folder. */
final class PeerGraphs {
  /** Vertices of a community: small enough that its rows fit a cache. */
  private static final int COMMUNITY = 500;

  /** Inside a graph's folder, the same as Heddle's own store, in the order it likes best. */
  static final String STORE = "store";

  private final Path work;
  private final Path data;

  PeerGraphs(Options options) {
    work = Path.of(options.word("work", "target/bench"));
    data = Path.of(options.word("data", "../shared/data"));
  }

  /** Where a graph lies that {@link #prepare} has made. */
  Path folder(String name) {
    return work.resolve(name);
  }

  /** Writes a graph for all peers, unless it is there already; false where it cannot be had. */
  boolean prepare(String name) throws IOException {
    Path folder = folder(name);
    if (!Files.exists(folder.resolve("train.npy")) && !write(name, folder)) {
      return false;
    }
    if (!Store.isStore(folder.resolve(STORE))) {
      try (Graph graph = PeerFolder.read(folder);
          Graph ordered = graph.reordered(VertexOrder.AUTO)) {
        StoreWriter.write(ordered, folder.resolve(STORE), false);
      }
    }
    return true;
  }

  private boolean write(String name, Path folder) throws IOException {
    switch (name) {
      case "coauthor-cs" -> {
        if (!Files.exists(data.resolve(name))) {
          System.err.println("left out, there is no " + data.resolve(name));
          return false;
        }
        ReadOptions normalised = ReadOptions.DEFAULT.withRowNormalise(true);
        try (Graph graph = Graph.open(data.resolve(name), normalised)) {
          PeerFolder.write(graph, folder);
        }
      }
      case "wordnet" -> {
        try (WordNet wordNet = WordNet.read()) {
          PeerFolder.write(wordNet.graph(), folder);
        }
      }
      case "2m-vertices" -> generate(folder, 2_000_000, 15);
      case "2m" -> generate(folder, 200_000, 10);
      case "10m" -> generate(folder, 200_000, 50);
      case "30m" -> generate(folder, 600_000, 50);
      case "100m" -> generate(folder, 2_000_000, 50);
      default -> throw new IllegalArgumentException("there is no graph " + name);
    }
    return true;
  }

  private static void generate(Path folder, int vertices, int degree) throws IOException {
    try (ThreadTeam team = ThreadTeam.of(2);
        Graph graph =
            CommunityGraph.of(vertices)
                .averageDegree(degree)
                .communities(vertices / COMMUNITY)
                .classes(40)
                .width(128)
                .seed(1)
                .generate(team)) {
      PeerFolder.write(graph, folder);
    }
  }
}
