/** Placeholder. */
@NullMarked
package dev.heddle.graph;

import org.jspecify.annotations.NullMarked;
