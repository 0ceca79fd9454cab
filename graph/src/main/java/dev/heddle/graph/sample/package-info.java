/**
 * Samples of a graph for training in batches: which arcs are drawn, how vertices become rows, and
 * the blocks made of them.
 *
 * <p>Every draw is keyed by what it is for (see {@code Draws}): samples are the same for any number
 * of threads and whoever has a vertex. Memory is kept from batch to batch and grows when it must.
 * No features are read here.
 */
@NullMarked
package dev.heddle.graph.sample;

import org.jspecify.annotations.NullMarked;
