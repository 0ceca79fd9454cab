package dev.heddle.nn.program;

import dev.heddle.kernel.Heads;
import dev.heddle.nn.Parameter;

/**
 * How attention of Brody et al. scores an arc.
 *
 * @param vector {@code 1 × heads·width}, multiplied with the sum of the two rows after the leaky
 *     ReLU
 * @param heads how columns divide among heads
 * @param dropout rate at which attention weights are dropped in training
 */
public record Gatv2Scores(Parameter vector, Heads heads, float dropout) {}
