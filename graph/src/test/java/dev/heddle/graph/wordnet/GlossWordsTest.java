package dev.heddle.graph.wordnet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GlossWordsTest {
  private static List<Synset> glosses(String... glosses) {
    return IntStream.range(0, glosses.length)
        .mapToObj(i -> new Synset(new Place(PartOfSpeech.NOUN, i), 3, "x", List.of(), glosses[i]))
        .toList();
  }

  @Test
  void theMostUsedWordsComeFirstAndEqualOnesByAlphabet() {
    List<Synset> synsets = glosses("b a c", "C-c, d (b)", "e");
    assertThat(GlossWords.of(synsets, 4).names()).containsExactly("c", "b", "a", "d");
    assertThat(GlossWords.of(synsets, 99).names()).containsExactly("c", "b", "a", "d", "e");
  }

  @Test
  void examplesAreLeftOut() {
    List<Synset> synsets = glosses("red; \"a red dress\"; \"it's red\"- Tully; red", "\"open");
    assertThat(GlossWords.of(synsets, 9).names()).containsExactly("red", "tully");
  }

  @Test
  void aFeatureIsOneHoweverOftenTheWordIsThere() {
    try (Memory memory = new Memory()) {
      SparseFeatures features = GlossWords.of(glosses("c b c a", "", "b z b"), 3).features(memory);
      Csr rows = features.byRow();
      assertThat(rows.rows()).isEqualTo(3);
      assertThat(rows.cols()).isEqualTo(3);
      // Columns: b, c, a.
      assertThat(IntStream.range(0, (int) rows.arcs()).map(rows::id)).containsExactly(0, 1, 2, 0);
      assertThat(rows.degree(0)).isEqualTo(3);
      assertThat(rows.degree(1)).isZero();
      assertThat(IntStream.range(0, 4).mapToObj(rows::weight)).containsOnly(1f);
    }
  }
}
