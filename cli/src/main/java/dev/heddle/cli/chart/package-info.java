/** Figures as people read them: curves as SVG or a line of blocks, rows as tables. */
@NullMarked
package dev.heddle.cli.chart;

import org.jspecify.annotations.NullMarked;
