package dev.heddle.nn;

import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Value;

/** Maps the source rows of a hop to its destination rows. Keeps nothing but its parameters. */
public interface Layer {
  /** Records the layer's computation on {@code x}, the rows of the hop's sources. */
  Value record(Recorder r, Hop hop, Value x);
}
