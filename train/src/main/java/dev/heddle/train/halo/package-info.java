/**
 * Rows that cross from one worker to another in full-graph training: which ones, at how many bits,
 * and what that took.
 */
@NullMarked
package dev.heddle.train.halo;

import org.jspecify.annotations.NullMarked;
