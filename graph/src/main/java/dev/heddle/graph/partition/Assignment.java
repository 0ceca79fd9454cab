package dev.heddle.graph.partition;

/** The vertices of a level, each in a part, and how full the parts are. */
final class Assignment {
  final LevelGraph graph;
  final int parts;

  /** The part of each vertex. */
  final int[] part;

  /** What every part may hold: {@code room[part * constraints + c]}. */
  final long[] room;

  /** What every part holds, likewise. */
  final long[] loads;

  Assignment(LevelGraph graph, int parts, int[] part, long[] room) {
    this.graph = graph;
    this.parts = parts;
    this.part = part;
    this.room = room;
    this.loads = new long[room.length];
    int constraints = graph.constraints;
    for (int v = 0; v < graph.vertices; v++) {
      for (int c = 0; c < constraints; c++) {
        loads[part[v] * constraints + c] += graph.loads[v * constraints + c];
      }
    }
  }

  /** Whether a part has room for a vertex of another one. */
  boolean fits(int v, int to) {
    int constraints = graph.constraints;
    if (constraints == 1) {
      return loads[to] + graph.loads[v] <= room[to];
    }
    for (int c = 0; c < constraints; c++) {
      int at = to * constraints + c;
      if (loads[at] + graph.loads[v * constraints + c] > room[at]) {
        return false;
      }
    }
    return true;
  }

  void move(int v, int to) {
    int constraints = graph.constraints;
    int from = part[v];
    for (int c = 0; c < constraints; c++) {
      int load = graph.loads[v * constraints + c];
      loads[from * constraints + c] -= load;
      loads[to * constraints + c] += load;
    }
    part[v] = to;
  }

  /** How full a part is where it is fullest: 1 if it holds all it may. */
  double fullness(int of) {
    double most = 0;
    for (int c = 0; c < graph.constraints; c++) {
      int at = of * graph.constraints + c;
      most = Math.max(most, (double) loads[at] / Math.max(room[at], 1));
    }
    return most;
  }

  boolean isOverfull(int of) {
    for (int c = 0; c < graph.constraints; c++) {
      if (loads[of * graph.constraints + c] > room[of * graph.constraints + c]) {
        return true;
      }
    }
    return false;
  }

  /** By how much parts are too full, in shares of their room; 0 where all keep their bounds. */
  double overload() {
    double sum = 0;
    for (int of = 0; of < parts; of++) {
      sum += overload(of, 0, 0);
    }
    return sum;
  }

  /** The overload of one part, if it had a vertex so many times more. */
  double overload(int of, int v, int times) {
    double sum = 0;
    for (int c = 0; c < graph.constraints; c++) {
      int at = of * graph.constraints + c;
      long load = loads[at];
      if (times != 0) {
        load += (long) times * graph.loads[v * graph.constraints + c];
      }
      if (load > room[at]) {
        sum += (double) (load - room[at]) / Math.max(room[at], 1);
      }
    }
    return sum;
  }

  /** The best of several of the same graph: most in bounds, then least cut. */
  static Assignment best(Assignment[] tried) {
    Assignment best = tried[0];
    double bestOverload = best.overload();
    long bestCut = best.cut();
    for (int i = 1; i < tried.length; i++) {
      double overload = tried[i].overload();
      long cut = tried[i].cut();
      if (overload < bestOverload || (overload == bestOverload && cut < bestCut)) {
        best = tried[i];
        bestOverload = overload;
        bestCut = cut;
      }
    }
    return best;
  }

  /** Weight of the edges between parts. */
  long cut() {
    long cut = 0;
    for (int v = 0; v < graph.vertices; v++) {
      int end = graph.offsets[v + 1];
      for (int arc = graph.offsets[v]; arc < end; arc++) {
        if (part[graph.ids[arc]] != part[v]) {
          cut += graph.weight(arc);
        }
      }
    }
    return cut / 2;
  }
}
