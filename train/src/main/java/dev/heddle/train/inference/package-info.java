/**
 * A trained model over all vertices of a graph, in memory or through files where that is too small.
 */
@NullMarked
package dev.heddle.train.inference;

import org.jspecify.annotations.NullMarked;
