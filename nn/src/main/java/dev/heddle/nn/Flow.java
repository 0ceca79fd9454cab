package dev.heddle.nn;

import dev.heddle.nn.program.Value;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What goes from one section of a model to the next.
 *
 * @param rows one for each vertex that is alive at this depth
 * @param initial the initial representation, where a later section needs it besides (GCNII's {@code
 *     h⁰}); null where none does, or where the rows themselves are it
 */
public record Flow(Value rows, @Nullable Value initial) {
  /** Of two names for one value only {@code rows} is kept: nothing is to travel twice. */
  public Flow {
    initial = initial == rows ? null : initial;
  }

  /** Rows alone, which are the initial representation of what follows, if it needs any. */
  public static Flow of(Value rows) {
    return new Flow(rows, null);
  }

  /** The initial representation: the rows themselves where nothing goes besides them. */
  public Value start() {
    return initial == null ? rows : initial;
  }

  /** Other rows, with what goes besides. */
  Flow with(Value other) {
    return new Flow(other, initial);
  }

  /** What becomes of all values of it. */
  public Flow map(UnaryOperator<Value> each) {
    return new Flow(each.apply(rows), initial == null ? null : each.apply(initial));
  }

  /** All values of it, each once. */
  public List<Value> values() {
    return initial == null ? List.of(rows) : List.of(rows, initial);
  }

  Width width() {
    return new Width(rows.cols(), initial == null ? 0 : initial.cols());
  }

  /**
   * Columns of a flow.
   *
   * @param initial 0 where nothing goes besides the rows
   */
  public record Width(int rows, int initial) {
    /** Floats of a vertex. */
    public int total() {
      return rows + initial;
    }
  }
}
