/** Placeholder. */
@NullMarked
package dev.heddle.train;

import org.jspecify.annotations.NullMarked;
