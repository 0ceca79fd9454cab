package dev.heddle.nn;

import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;
import java.util.List;

/** The layers of a model, put together: from input features to outputs. */
public interface Network {
  /** How many hops of message passing it takes. */
  int hops();

  /** Records the computation; {@code hops} are in the order they are taken. */
  Value record(Recorder r, List<Hop> hops, Value x);
}
