package dev.heddle.graph.wordnet;

import java.util.List;

/**
 * The files in which lexicographers wrote the synsets, one per field of meaning: lexnames(5WN). A
 * synset's file is its class.
 */
final class LexicographerFiles {
  /** By number. */
  static final List<String> NAMES =
      List.of(
          "adj.all",
          "adj.pert",
          "adv.all",
          "noun.Tops",
          "noun.act",
          "noun.animal",
          "noun.artifact",
          "noun.attribute",
          "noun.body",
          "noun.cognition",
          "noun.communication",
          "noun.event",
          "noun.feeling",
          "noun.food",
          "noun.group",
          "noun.location",
          "noun.motive",
          "noun.object",
          "noun.person",
          "noun.phenomenon",
          "noun.plant",
          "noun.possession",
          "noun.process",
          "noun.quantity",
          "noun.relation",
          "noun.shape",
          "noun.state",
          "noun.substance",
          "noun.time",
          "verb.body",
          "verb.change",
          "verb.cognition",
          "verb.communication",
          "verb.competition",
          "verb.consumption",
          "verb.contact",
          "verb.creation",
          "verb.emotion",
          "verb.motion",
          "verb.perception",
          "verb.possession",
          "verb.social",
          "verb.stative",
          "verb.weather",
          "adj.ppl");

  private LexicographerFiles() {}
}
