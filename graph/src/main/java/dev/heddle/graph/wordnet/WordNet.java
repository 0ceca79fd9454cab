package dev.heddle.graph.wordnet;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Graph;
import dev.heddle.graph.RandomSplit;
import dev.heddle.graph.StringIds;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import java.util.List;

/**
 * WordNet 3.1 (Fellbaum, MIT Press, 1998) as a task: tell of each of 117,791 meanings which of 45
 * fields it belongs to, such as animals, food or verbs of motion.
 *
 * <p>Arcs are the pointers between meanings (hypernyms, parts, antonyms, derivations and so on),
 * both ways, with their types; features are the words of the definitions; a random 60 % of the
 * vertices are for training, 20 % for validation and the others for testing. Neither features nor
 * arcs are made from the classes. Vertex ids are: they follow the files that are the classes, and
 * must not become features.
 *
 * @param graph owns the memory
 * @param ids by {@link Graph#userIndex}, a name for each vertex: {@code dog.n.02086723}, the last
 *     part being its place in the data file
 * @param classNames by class: {@code noun.animal}
 * @param words by column of the features
 */
public record WordNet(Graph graph, List<String> ids, List<String> classNames, List<String> words)
    implements AutoCloseable {
  private static final double TRAIN = 0.6;
  private static final double VALID = 0.2;

  /** Reads it as {@link WordNetSettings#DEFAULT} says. */
  public static WordNet read() {
    return read(WordNetSettings.DEFAULT, new Memory());
  }

  /** Reads it from the class path; faults are {@link dev.heddle.graph.GraphFormatException}s. */
  public static WordNet read(WordNetSettings settings, Memory memory) {
    return of(Synsets.read(WordNet.class.getClassLoader()), settings, memory);
  }

  static WordNet of(Synsets synsets, WordNetSettings settings, Memory memory) {
    try {
      List<String> classNames = LexicographerFiles.NAMES;
      int[] classes = synsets.all().stream().mapToInt(Synset::lexicographerFile).toArray();
      // The epoch before the first, so that no shuffle of a training run is drawn alike.
      long key = Draws.key(Draws.Domain.SHUFFLE, settings.seed(), -1, 0, 0);
      GlossWords words = GlossWords.of(synsets.all(), settings.words());
      List<String> ids = synsets.all().stream().map(Synset::id).toList();
      Csr arcs = synsets.arcs(memory);
      Graph graph =
          Graph.builder(memory, "wordnet", arcs)
              .arcTypes(synsets.types(memory, arcs))
              .ids(StringIds.of(memory, ids))
              .features(words.features(memory))
              .classNames(classNames)
              .labels(ClassLabels.of(memory, classes, classNames.size()))
              .split(RandomSplit.of(classes.length, TRAIN, VALID, key))
              .build();
      return new WordNet(graph, ids, classNames, words.names());
    } catch (RuntimeException | Error e) {
      memory.close();
      throw e;
    }
  }

  @Override
  public void close() {
    graph.close();
  }
}
