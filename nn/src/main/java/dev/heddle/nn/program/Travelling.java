package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import org.jspecify.annotations.Nullable;

/**
 * What is known, while a program is recorded, of a value whose rows will travel.
 *
 * @param once whether they are the same in every step, and travel once
 * @param learnt whether gradients of them travel back
 * @param block whose arcs they will be aggregated along
 * @param normalisation of that aggregation; null where rows are not just summed
 */
public record Travelling(
    int cols, boolean once, boolean learnt, Block block, @Nullable Normalisation normalisation) {}
