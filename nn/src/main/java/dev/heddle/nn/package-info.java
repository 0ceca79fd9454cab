/** Placeholder. */
@NullMarked
package dev.heddle.nn;

import org.jspecify.annotations.NullMarked;
