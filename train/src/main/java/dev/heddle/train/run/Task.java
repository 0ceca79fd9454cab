package dev.heddle.train.run;

import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import java.util.Locale;

/** What a model's outputs mean. */
public enum Task {
  /** One class of several: probabilities are the softmax of the outputs. */
  CLASSES,
  /** Any number of labels: the probability of each is the sigmoid of its output. */
  LABELS,
  /** Numbers as they are. */
  NUMBERS;

  public static Task of(Labels labels) {
    return switch (labels) {
      case ClassLabels _ -> CLASSES;
      case MultiLabels _ -> LABELS;
      case RealLabels _ -> NUMBERS;
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Turns a vertex's outputs into what they mean, in place. */
  public void interpret(float[] outputs) {
    switch (this) {
      case CLASSES -> softmax(outputs);
      case LABELS -> {
        for (int i = 0; i < outputs.length; i++) {
          outputs[i] = (float) (1 / (1 + Math.exp(-outputs[i])));
        }
      }
      case NUMBERS -> {}
    }
  }

  private static void softmax(float[] outputs) {
    double highest = Double.NEGATIVE_INFINITY;
    for (float x : outputs) {
      highest = Math.max(highest, x);
    }
    double sum = 0;
    for (float x : outputs) {
      sum += Math.exp(x - highest);
    }
    for (int i = 0; i < outputs.length; i++) {
      outputs[i] = (float) (Math.exp(outputs[i] - highest) / sum);
    }
  }
}
