package dev.heddle.nn.program;

import dev.heddle.kernel.Heads;
import dev.heddle.nn.Parameter;

/**
 * How attention of Veličković et al. scores an arc.
 *
 * @param source {@code 1 × heads·width}, multiplied with the source's row
 * @param destination {@code 1 × heads·width}, multiplied with the destination's row
 * @param heads how columns divide among heads
 * @param dropout rate at which attention weights are dropped in training
 */
public record GatScores(Parameter source, Parameter destination, Heads heads, float dropout) {}
