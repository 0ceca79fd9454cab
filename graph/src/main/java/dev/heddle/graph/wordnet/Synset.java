package dev.heddle.graph.wordnet;

import java.util.List;

/**
 * One meaning: a set of synonyms, what it points to, and a gloss that explains it.
 *
 * @param lexicographerFile an index of {@link LexicographerFiles#NAMES}
 * @param lemma the first of the synonyms
 * @param gloss a definition, often followed by examples in quotes
 */
record Synset(
    Place place, int lexicographerFile, String lemma, List<Pointer> pointers, String gloss) {

  /** A name that people can read and that no other synset has: {@code dog.n.02086723}. */
  String id() {
    String digits = Integer.toString(place.offset());
    return lemma
        + '.'
        + place.partOfSpeech().letter()
        + '.'
        + "0".repeat(Math.max(0, 8 - digits.length()))
        + digits;
  }
}
