/**
 * Batches as a source of training steps: sampled and fetched several at a time, by one worker or
 * together with others, and gathered one by one for the model.
 */
@NullMarked
package dev.heddle.train.batch;

import org.jspecify.annotations.NullMarked;
