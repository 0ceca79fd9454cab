package dev.heddle.graph.wordnet;

/**
 * A typed arc from the synset that has it. Pointers between single words of two synsets are taken
 * as pointers between the synsets, so that a synset may have equal ones.
 */
record Pointer(Relation relation, Place target) {}
