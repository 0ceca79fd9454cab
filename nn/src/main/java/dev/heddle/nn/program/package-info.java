/**
 * The computation of a model, recorded once and replayed every step.
 *
 * <p>Layers record operations on {@link dev.heddle.nn.program.Value}s; a {@link
 * dev.heddle.nn.program.Program} plans their memory and runs them forward and backward. One
 * operation per file, each with its own gradient. Where rows come from is not known here.
 */
@NullMarked
package dev.heddle.nn.program;

import org.jspecify.annotations.NullMarked;
