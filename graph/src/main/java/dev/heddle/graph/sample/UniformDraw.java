package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.UniformColumns;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * So many in-arcs, each as likely as any other (Hamilton, Ying & Leskovec, NeurIPS 2017); all where
 * there are no more. Without replacement see {@link UniformColumns}. Each of {@code s} arcs drawn
 * of {@code d} stands for {@code d/s}.
 */
record UniformDraw(Csr arcs, int fanout, boolean replace) implements ArcDraw {
  @Override
  public int count(int vertex, long key) {
    long degree = arcs.degree(vertex);
    return replace ? (degree == 0 ? 0 : fanout) : (int) Math.min(degree, fanout);
  }

  /** Draws alike for many vertices at once, ids alone; null where this is not to be had. */
  @Nullable UniformColumns columns() {
    return replace || fanout > UniformColumns.MOST ? null : new UniformColumns(arcs, fanout);
  }

  @Override
  public void draw(int vertex, long key, DrawnArcs into, long at) {
    int degree = (int) arcs.degree(vertex);
    if (degree == 0) {
      return;
    }
    if (!replace && degree <= fanout) {
      AllArcs.copy(arcs, vertex, into, at);
      return;
    }
    long own = Draws.at(key, vertex);
    if (replace) {
      withReplacement(degree, own, into.ids(), at);
    } else if (fanout <= UniformColumns.MOST) {
      UniformColumns.positions(degree, fanout, own, into.ids(), at);
    } else {
      ofMany(degree, own, into.ids(), at);
    }
    into.takeChosen(at, arcs, arcs.offset(vertex), fanout, (float) degree / fanout);
  }

  private void withReplacement(int degree, long key, MemorySegment positions, long at) {
    for (int i = 0; i < fanout; i++) {
      positions.setAtIndex(JAVA_INT, at + i, Draws.below(Draws.at(key, i), degree));
    }
  }

  private void ofMany(int degree, long key, MemorySegment positions, long at) {
    Positions taken = Positions.ofThread(degree, fanout);
    for (int i = 0; i < fanout; i++) {
      int last = degree - fanout + i;
      int position = Draws.below(Draws.at(key, last), last + 1);
      if (!taken.add(position)) {
        position = last;
        taken.add(last);
      }
      positions.setAtIndex(JAVA_INT, at + i, position);
    }
    taken.clear();
  }
}
