package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.nn.Parameter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code out = (Â x) W + x W_self} is made of, whichever order it is computed in. {@code x} is
 * {@code sources × in}, both weights are {@code in × out}.
 *
 * @param normalisation of the arcs, which makes {@code Â} of them
 * @param self the map of a destination's own row; none for no such term
 */
record Convolution(
    Hop hop, Normalisation normalisation, Parameter neighbours, @Nullable Parameter self) {

  Block block() {
    return hop.block();
  }

  int in() {
    return neighbours.value().rows();
  }

  int out() {
    return neighbours.value().cols();
  }

  List<Parameter> parameters() {
    List<Parameter> all = new ArrayList<>();
    all.add(neighbours);
    if (self != null) {
      all.add(self);
    }
    return all;
  }
}
