package dev.heddle.graph.partition;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import java.util.Arrays;

/**
 * A partition into k parts by splitting a graph in two, and its halves again. The pieces of one
 * depth are split in parallel.
 */
final class RecursiveBisection {
  private final long[] most;
  private final int enough;
  private final int[] part;

  private RecursiveBisection(int vertices, Bounds bounds) {
    this.part = new int[vertices];
    most = bounds.most;
    enough = bounds.enough;
  }

  /**
   * What holds for all parts.
   *
   * @param most what one part may hold, by constraint
   * @param enough vertices at which coarsening ends, as of {@link Bisection#sides}
   */
  @SuppressWarnings("ArrayRecordComponent") // Handed on and never compared.
  record Bounds(long[] most, int enough) {}

  /** The part of each vertex. */
  static int[] parts(LevelGraph graph, int parts, Bounds bounds, long key, ThreadTeam team) {
    RecursiveBisection recursion = new RecursiveBisection(graph.vertices, bounds);
    int[] all = new int[graph.vertices];
    for (int v = 0; v < all.length; v++) {
      all[v] = v;
    }
    Piece[] pieces = {new Piece(graph, all, new Range(0, parts), key)};
    while (pieces.length > 0) {
      pieces = recursion.split(pieces, team);
    }
    return recursion.part;
  }

  /** Parts from {@code first} on. */
  private record Range(int first, int count) {}

  /**
   * A subgraph to be split.
   *
   * @param names what its vertices are in the whole graph
   */
  @SuppressWarnings("ArrayRecordComponent") // Many numbers, handed on and never compared.
  private record Piece(LevelGraph graph, int[] names, Range parts, long key) {}

  /** Splits pieces and returns those that are to be split again. */
  private Piece[] split(Piece[] pieces, ThreadTeam team) {
    Piece[] halves = new Piece[2 * pieces.length];
    if (pieces.length == 1) {
      split(pieces[0], team, halves, 0);
    } else {
      team.run(
          pieces.length,
          i -> {
            try (ThreadTeam alone = ThreadTeam.of(1)) {
              split(pieces[i], alone, halves, 2 * i);
            }
          });
    }
    return Arrays.stream(halves).filter(this::isUndecided).toArray(Piece[]::new);
  }

  /** Whether there is more than one part left for a piece; else its vertices get theirs. */
  private boolean isUndecided(Piece piece) {
    if (piece.parts.count > 1) {
      return true;
    }
    for (int name : piece.names) {
      part[name] = piece.parts.first;
    }
    return false;
  }

  private void split(Piece piece, ThreadTeam team, Piece[] halves, int at) {
    Range parts = piece.parts;
    int left = parts.count / 2;
    int right = parts.count - left;
    long[] room = room(piece.graph, left, right);
    double share = (double) left / parts.count;
    int[] sides = new Bisection(piece.graph, room, share, piece.key).sides(enough, team);
    for (int side = 0; side < 2; side++) {
      Subgraph half = Subgraph.of(piece.graph, sides, side);
      int[] own = half.names();
      for (int v = 0; v < own.length; v++) {
        own[v] = piece.names[own[v]];
      }
      Range range = side == 0 ? new Range(parts.first, left) : new Range(parts.first + left, right);
      halves[at + side] = new Piece(half.graph(), own, range, Draws.at(piece.key, side));
    }
  }

  /**
   * What both sides may hold: a share of the slack that is left to the parts below, so that the
   * last splits still have some (Schulz et al., adaptive imbalance of recursive bisection).
   */
  private long[] room(LevelGraph graph, int left, int right) {
    int count = left + right;
    long[] totals = graph.totals();
    int constraints = graph.constraints;
    long[] room = new long[2 * constraints];
    int depth = 32 - Integer.numberOfLeadingZeros(count - 1);
    for (int c = 0; c < constraints; c++) {
      double slack = Math.max(1, (double) most[c] * count / Math.max(totals[c], 1));
      double here = Math.pow(slack, 1.0 / depth);
      room[c] = Math.min(left * most[c], (long) Math.ceil(here * totals[c] * left / count));
      room[constraints + c] =
          Math.min(right * most[c], (long) Math.ceil(here * totals[c] * right / count));
    }
    return room;
  }
}
