/** Placeholder. */
@NullMarked
package dev.heddle.bench;

import org.jspecify.annotations.NullMarked;
