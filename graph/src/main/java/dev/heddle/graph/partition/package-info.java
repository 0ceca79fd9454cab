/**
 * Partitions: which part of a graph every vertex belongs to, how they are found and what they cost.
 */
@NullMarked
package dev.heddle.graph.partition;

import org.jspecify.annotations.NullMarked;
