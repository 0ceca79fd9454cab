package dev.heddle.bench;

import dev.heddle.graph.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A graph of the {@link HaloBench}.
 *
 * @param flags what {@code heddle train} is told about it and about training on it
 * @param timedEpochs enough for a median, few enough for the patience
 * @param scoredEpochs enough for the best validation score
 */
record HaloGraph(String name, List<String> flags, int timedEpochs, int scoredEpochs) {
  static final String NAMES = "amazon-photo,coauthor-cs,wordnet,200k";

  /** A graph by name, made first if it is generated. */
  static HaloGraph prepare(Path folder, String name, Options options) throws IOException {
    Path data = Path.of(options.word("data", "../shared/data"));
    Path work = Path.of(options.word("work", "target/bench")).toAbsolutePath();
    return switch (name) {
      // At the usual rate GraphSAGE's seeds end anywhere from 85 to 91, as they are; on WordNet
      // this one comes further in as many epochs.
      case "amazon-photo" ->
          of(name, DealtSplit.of(data.resolve(name), work), 16, 120, "--lr", "0.003");
      case "coauthor-cs" ->
          of(name, DealtSplit.of(data.resolve(name), work), 20, 100, "--row-normalise");
      // Comes with a split of its own.
      case "squirrel" -> of(name, data.resolve(name), 12, 60);
      case "wordnet" -> new HaloGraph(name, List.of("--lr", "0.003"), 12, 60);
      // In six epochs four processes on two cores have not compiled everything.
      case "200k" -> of(name, generated(folder, work), 14, 12);
      default -> throw new IllegalArgumentException("there is no graph " + name);
    };
  }

  /** GraphSAGE's epochs of WordNet take longest of all. */
  int timedEpochs(String model) {
    return name.equals("wordnet") && model.equals("sage") ? 8 : timedEpochs;
  }

  private static HaloGraph of(
      String name, Path place, int timedEpochs, int scoredEpochs, String... more) {
    List<String> flags = new ArrayList<>(List.of("--graph", place.toAbsolutePath().toString()));
    flags.addAll(List.of(more));
    return new HaloGraph(name, List.copyOf(flags), timedEpochs, scoredEpochs);
  }

  /** 200,000 vertices in communities, with hubs; features as wide as a layer. */
  private static Path generated(Path folder, Path work) throws IOException {
    Path store = Files.createDirectories(work).resolve("halo-200k");
    if (!Store.isStore(store)) {
      List<String> size = List.of("--vertices", "200000", "--degree", "15", "--width", "256");
      List<String> flags =
          new ArrayList<>(List.of("generate", "--json", "--out", store.toString()));
      flags.addAll(size);
      flags.addAll(List.of("--classes", "40", "--seed", "1"));
      HeddleRun _ = HeddleRun.of(folder, flags);
    }
    return store;
  }
}
