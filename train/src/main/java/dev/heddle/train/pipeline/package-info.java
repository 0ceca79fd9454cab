/**
 * How work overlaps, and what happened when: stages over a ring of preallocated slots, and the
 * timeline that every thread of a worker records into.
 */
@NullMarked
package dev.heddle.train.pipeline;

import org.jspecify.annotations.NullMarked;
