/** Curves as pictures that need nothing but themselves: SVG, and a line of blocks on a terminal. */
@NullMarked
package dev.heddle.cli.chart;

import org.jspecify.annotations.NullMarked;
