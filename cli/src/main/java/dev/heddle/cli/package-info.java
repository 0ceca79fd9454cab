/** Placeholder. */
@NullMarked
package dev.heddle.cli;

import org.jspecify.annotations.NullMarked;
