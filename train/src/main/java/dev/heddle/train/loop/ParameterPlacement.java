package dev.heddle.train.loop;

import dev.heddle.comm.Group;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import java.util.List;

/**
 * Which parameters a worker has and moves, with whom it sums their gradients, and whether it is the
 * one that writes them into checkpoints.
 */
public record ParameterPlacement(List<Parameter> here, Group sharers, boolean writes) {
  public ParameterPlacement {
    here = List.copyOf(here);
  }

  /** All parameters at every worker; the first one writes them. */
  public static ParameterPlacement replicated(Model model, Group group) {
    return new ParameterPlacement(model.parameters().all(), group, group.rank() == 0);
  }
}
