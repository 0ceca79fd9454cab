package dev.heddle.bench;

import java.io.IOException;

/** A graph and a model whose test scores are compared between variants ({@link HaloScores}). */
interface ScoredCell {
  String graphName();

  String model();

  /** A run whose score counts. */
  HeddleRun scored(HaloVariant variant, int seed) throws IOException;
}
