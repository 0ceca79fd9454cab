/**
 * Layers, losses, optimizers, metrics and weight files.
 *
 * <p>One layer per file, with its paper, formula and shapes. A layer records operations on a {@link
 * dev.heddle.nn.program.Program}; it does not know where rows come from or who runs it.
 */
@NullMarked
package dev.heddle.nn;

import org.jspecify.annotations.NullMarked;
