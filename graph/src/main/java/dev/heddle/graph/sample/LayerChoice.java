package dev.heddle.graph.sample;

/** Chooses the vertices that all rows of a batch may draw from in a hop. */
sealed interface LayerChoice permits LadiesChoice, FastGcnChoice {
  /**
   * Begins a batch.
   *
   * @param everyone the order of all seeds, whichever worker's they are
   */
  void begin(SeedOrder everyone, int batch);

  /**
   * Chooses for the next hop. Returns false where no vertex is left out, and nothing was written.
   */
  boolean choose(int hop, long key);

  /** Bytes of tables of all vertices. */
  long tableBytes();
}
