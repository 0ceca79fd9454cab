package dev.heddle.graph.wordnet;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The counts are those published of WordNet 3.1, or taken from it by another program. */
class WordNetTest {
  private static final int SYNSETS = 117_791;

  private static Synsets synsets;
  private static WordNet wordNet;
  private static Csr in;
  private static ClassLabels labels;

  @BeforeAll
  static void read() {
    long start = System.nanoTime();
    wordNet = WordNet.read();
    System.out.printf(
        "%s: read in %d ms, %d bytes%n",
        wordNet.graph(), (System.nanoTime() - start) / 1_000_000, wordNet.graph().memory().bytes());
    synsets = Synsets.read(WordNetTest.class.getClassLoader());
    in = wordNet.graph().in();
    labels = (ClassLabels) Objects.requireNonNull(wordNet.graph().labels());
  }

  @AfterAll
  static void close() {
    wordNet.close();
  }

  @Test
  void synsetsAndPointersAreAllThere() {
    assertThat(synsets.all()).hasSize(SYNSETS);
    long distinct = synsets.all().stream().flatMap(s -> s.pointers().stream().distinct()).count();
    assertThat(distinct).isEqualTo(365_119);
    Map<Relation, Long> relations =
        synsets.all().stream()
            .flatMap(s -> s.pointers().stream())
            .collect(groupingBy(Pointer::relation, counting()));
    assertThat(relations).hasSize(26).hasSameSizeAs(Relation.values());
    assertThat(relations.get(Relation.HYPERNYM))
        .isEqualTo(89_172)
        .isEqualTo(relations.get(Relation.HYPONYM));
  }

  @Test
  void arcsGoBothWaysOnceAndAreNoLoops() {
    assertThat(wordNet.graph().vertices()).isEqualTo(SYNSETS);
    assertThat(in.arcs()).isEqualTo(2 * 184_083);
    Set<Long> arcs = HashSet.newHashSet((int) in.arcs());
    for (int vertex = 0; vertex < SYNSETS; vertex++) {
      for (long arc = in.offset(vertex); arc < in.offset(vertex + 1); arc++) {
        arcs.add((long) SYNSETS * vertex + in.id(arc));
      }
    }
    assertThat(arcs.size()).isEqualTo(in.arcs());
    assertThat(arcs.stream().allMatch(a -> arcs.contains(a % SYNSETS * SYNSETS + a / SYNSETS)))
        .isTrue();
    assertThat(arcs.stream().noneMatch(a -> a % SYNSETS == a / SYNSETS)).isTrue();
  }

  @Test
  void fewVerticesStandAlone() {
    BitSet alone = new BitSet();
    for (int vertex = 0; vertex < SYNSETS; vertex++) {
      alone.set(vertex, in.degree(vertex) == 0);
    }
    assertThat(alone.cardinality()).isEqualTo(1004);
    // Mostly adverbs such as "barely", which come from no adjective.
    assertThat(alone.stream().filter(v -> labels.at(v) == 2)).hasSize(946);
  }

  @Test
  void classesAreAllThereAndUnlikeInSize() {
    long[] sizes = new long[labels.classes()];
    for (int vertex = 0; vertex < SYNSETS; vertex++) {
      sizes[labels.at(vertex)]++;
    }
    assertThat(wordNet.classNames()).hasSize(45).hasSize(sizes.length).doesNotHaveDuplicates();
    assertThat(Arrays.stream(sizes).min()).hasValue(42);
    assertThat(Arrays.stream(sizes).max()).hasValue(sizes[0]).hasValue(14_460);
    long same = 0;
    for (int vertex = 0; vertex < SYNSETS; vertex++) {
      for (long arc = in.offset(vertex); arc < in.offset(vertex + 1); arc++) {
        same += labels.at(vertex) == labels.at(in.id(arc)) ? 1 : 0;
      }
    }
    // Neighbours help, but do not give the class away.
    assertThat((double) same / in.arcs()).isBetween(0.708, 0.709);
  }

  @Test
  void featuresAreTheMostUsedWords() {
    SparseFeatures features = (SparseFeatures) Objects.requireNonNull(wordNet.graph().features());
    assertThat(features.rows()).isEqualTo(SYNSETS);
    assertThat(features.width()).isEqualTo(2000);
    assertThat(features.byRow().arcs()).isEqualTo(814_984);
    assertThat(wordNet.words())
        .hasSize(2000)
        .startsWith("a", "of", "the", "or", "in", "and", "to", "that", "an", "with");
  }

  @Test
  void aDogIsADomesticAnimal() {
    int dog = wordNet.ids().indexOf("dog.n.02086723");
    assertThat(wordNet.classNames().get(labels.at(dog))).isEqualTo("noun.animal");
    assertThat(synsets.all().get(dog).gloss()).startsWith("a member of the genus Canis");
    List<String> hypernyms =
        synsets.all().get(dog).pointers().stream()
            .filter(p -> p.relation() == Relation.HYPERNYM)
            .map(p -> wordNet.ids().get(synsets.target(synsets.all().get(dog), p)))
            .toList();
    assertThat(hypernyms).hasSize(2).anyMatch(id -> id.startsWith("domestic_animal.n."));
    assertThat(neighbours(dog)).containsAll(hypernyms);
  }

  @Test
  void arcsHaveTheTypesOfTheirPointers() {
    ArcTypes types = Objects.requireNonNull(wordNet.graph().arcTypes());
    int dog = wordNet.ids().indexOf("dog.n.02086723");
    for (long arc = in.offset(dog); arc < in.offset(dog + 1); arc++) {
      String source = wordNet.ids().get(in.id(arc));
      if (source.startsWith("domestic_animal.n.")) {
        assertThat(types.names().get(types.at(arc))).isEqualTo("hyponym");
      }
      if (source.startsWith("puppy.n.")) {
        assertThat(types.names().get(types.at(arc))).isEqualTo("hypernym");
      }
    }
    assertThat(types.names()).hasSize(2 * Relation.values().length);
    assertThat(types.counts()[Relation.HYPERNYM.arcType()]).isEqualTo(89_162);
    assertThat(types.counts()[Relation.CAUSE.inverseArcType()]).isEqualTo(193);
  }

  private static List<String> neighbours(int vertex) {
    return LongStream.range(in.offset(vertex), in.offset(vertex + 1))
        .mapToObj(arc -> wordNet.ids().get(in.id(arc)))
        .toList();
  }

  @Test
  void idsAreUnique() {
    assertThat(Set.copyOf(wordNet.ids())).hasSize(SYNSETS);
  }

  @Test
  void theSplitDependsOnTheSeedAlone() {
    Split split = Objects.requireNonNull(wordNet.graph().split());
    assertThat(split.train()).hasSize(70_675);
    assertThat(split.valid()).hasSize(23_558);
    assertThat(split.test()).hasSize(23_558);
    WordNetSettings few = WordNetSettings.DEFAULT.withWords(10);
    try (WordNet same = WordNet.of(synsets, few, new Memory());
        WordNet other = WordNet.of(synsets, few.withSeed(1), new Memory())) {
      assertThat(Objects.requireNonNull(same.graph().split()).test()).isEqualTo(split.test());
      assertThat(Objects.requireNonNull(other.graph().split()).test()).isNotEqualTo(split.test());
      assertThat(same.words()).isEqualTo(wordNet.words().subList(0, 10));
    }
  }

  @Test
  void refusesAPointerToNothing() {
    String line = "00000000 03 n 01 entity 0 001 ~ 00000100 n 0000 | that which is  \n";
    Synsets one = Synsets.of(DataFile.parse(PartOfSpeech.NOUN, line));
    assertThatThrownBy(() -> WordNet.of(one, WordNetSettings.DEFAULT, new Memory()))
        .isInstanceOf(GraphFormatException.class)
        .hasMessage("data.noun, byte 100: no synset begins here, where entity.n.00000000 points");
  }

  @Test
  void refusesNoWords() {
    assertThatThrownBy(() -> WordNetSettings.DEFAULT.withWords(0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
