package dev.heddle.nn.program;

import dev.heddle.kernel.RowChain;
import dev.heddle.kernel.RowWork;
import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Operations next to each other that run together, some rows at a time (see {@link RowChain}), or
 * one by itself.
 *
 * @param rows that they run over; null for one that does not go by rows
 */
record Stretch(int from, int to, @Nullable Rows rows) {
  /** Runs in one direction. */
  interface Run {
    void run(Step step);
  }

  /** Operations in as few stretches as can be; they go the same way back. */
  static List<Stretch> of(List<Op> ops, Function<Op, @Nullable Rows> rowsOf) {
    List<Stretch> stretches = new ArrayList<>();
    for (int from = 0, to; from < ops.size(); from = to) {
      Rows rows = rowsOf.apply(ops.get(from));
      to = from + 1;
      while (rows != null && to < ops.size() && rowsOf.apply(ops.get(to)) == rows) {
        to++;
      }
      stretches.add(new Stretch(from, to, rows));
    }
    return stretches;
  }

  private boolean together() {
    return to - from > 1;
  }

  Run forward(Pass[] passes, ThreadTeam team) {
    if (!together() || rows == null) {
      return passes[from]::forward;
    }
    List<RowWork> works = new ArrayList<>();
    for (int i = from; i < to; i++) {
      works.addAll(passes[i].forwardWork());
    }
    Rows counted = rows;
    RowChain chain = new RowChain(works);
    return step -> {
      for (int i = from; i < to; i++) {
        passes[i].expect(step);
      }
      chain.run(team, counted.count());
    };
  }

  Run backward(Pass[] passes, ThreadTeam team) {
    if (!together() || rows == null) {
      return passes[from]::backward;
    }
    List<RowWork> works = new ArrayList<>();
    for (int i = to - 1; i >= from; i--) {
      works.addAll(passes[i].backwardWork());
    }
    Rows counted = rows;
    RowChain chain = new RowChain(works);
    return _ -> chain.run(team, counted.count());
  }
}
