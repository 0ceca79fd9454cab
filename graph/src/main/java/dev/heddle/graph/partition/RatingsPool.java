package dev.heddle.graph.partition;

import java.util.concurrent.ConcurrentLinkedQueue;

/** Tables for the tasks of a parallel loop to borrow; which one a task gets changes nothing. */
final class RatingsPool {
  private final ConcurrentLinkedQueue<Ratings> free = new ConcurrentLinkedQueue<>();
  private final int universe;

  RatingsPool(int universe) {
    this.universe = universe;
  }

  Ratings take() {
    Ratings ratings = free.poll();
    return ratings == null ? new Ratings(universe) : ratings;
  }

  void give(Ratings ratings) {
    free.add(ratings);
  }
}
