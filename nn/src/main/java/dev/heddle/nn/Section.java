package dev.heddle.nn;

import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.List;

/**
 * A part of a model, a layer most often: models are lists of sections, of which a worker can record
 * some and leave the others to other workers. Keeps nothing but its parameters.
 */
public interface Section {
  /** How many hops of message passing it takes. */
  int hops();

  /** Records the computation; {@code hops} are in the order they are taken. */
  Flow record(Recorder r, List<Hop> hops, Flow in);

  /** A section of one layer; what goes besides the rows goes on. */
  static Section of(Layer layer) {
    return new OfLayer(layer);
  }

  /** A section that maps each row by itself; what goes besides the rows goes on. */
  static Section of(RowMap map) {
    return new OfRows(map);
  }

  /** Maps rows to as many others. */
  interface RowMap {
    Value record(Recorder r, Value x);
  }

  /** One hop. */
  record OfLayer(Layer layer) implements Section {
    @Override
    public int hops() {
      return 1;
    }

    @Override
    public Flow record(Recorder r, List<Hop> hops, Flow in) {
      return in.with(layer.record(r, hops.getFirst(), in.rows()));
    }
  }

  /** No hop. */
  record OfRows(RowMap map) implements Section {
    @Override
    public int hops() {
      return 0;
    }

    @Override
    public Flow record(Recorder r, List<Hop> hops, Flow in) {
      return in.with(map.record(r, in.rows()));
    }
  }
}
