package dev.heddle.graph.wordnet;

/**
 * Where the line of a synset begins, by which pointers name it.
 *
 * @param partOfSpeech the data file
 * @param offset bytes from the start of that file
 */
record Place(PartOfSpeech partOfSpeech, int offset) {
  /** A number of its own; within a part of speech they ascend with the offset. */
  long number() {
    return (long) partOfSpeech.letter() << Integer.SIZE | offset;
  }

  @Override
  public String toString() {
    return partOfSpeech.file() + ", byte " + offset;
  }
}
