/**
 * Batches of workers that each have a part of the graph: several at a time are sampled and their
 * features fetched in common rounds of requests and answers. What is computed on them, and when
 * parameters move, is decided elsewhere.
 */
@NullMarked
package dev.heddle.train.batch;

import org.jspecify.annotations.NullMarked;
