/**
 * The one training loop, for any number of workers and for full graphs and batches alike: {@link
 * dev.heddle.train.loop.TrainLoop} takes steps from a {@link dev.heddle.train.loop.StepSource}.
 * What a worker has of a graph is a {@link dev.heddle.train.loop.LocalGraph}.
 */
@NullMarked
package dev.heddle.train.loop;

import org.jspecify.annotations.NullMarked;
