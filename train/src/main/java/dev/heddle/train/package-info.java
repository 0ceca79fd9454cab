/**
 * Trainers: what runs a model's program over a graph, epoch after epoch.
 *
 * <p>{@link dev.heddle.train.Training} is the front door of the library.
 */
@NullMarked
package dev.heddle.train;

import org.jspecify.annotations.NullMarked;
