/** Runs of the past, as their folders tell of them. */
@NullMarked
package dev.heddle.cli.runs;

import org.jspecify.annotations.NullMarked;
