package dev.heddle.train.settings;

import dev.heddle.kernel.Memory;
import dev.heddle.nn.Adam;
import dev.heddle.nn.AdamSettings;
import dev.heddle.nn.AdamW;
import dev.heddle.nn.Optimizer;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.Sgd;
import dev.heddle.nn.SgdSettings;
import java.util.List;
import java.util.Locale;

/** The optimizers that can be asked for by name. */
public enum OptimizerKind {
  ADAM,
  ADAMW,
  SGD;

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  public Optimizer create(Memory memory, List<Parameter> parameters, TrainSettings settings) {
    AdamSettings adam = AdamSettings.DEFAULT.withWeightDecay(settings.weightDecay());
    return switch (this) {
      case ADAM -> Adam.over(memory, parameters, adam);
      case ADAMW -> AdamW.over(memory, parameters, adam);
      case SGD ->
          Sgd.over(
              memory,
              parameters,
              SgdSettings.momentum(settings.momentum()).withWeightDecay(settings.weightDecay()));
    };
  }
}
