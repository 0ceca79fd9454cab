/**
 * Kernel benchmarks, and side-by-side runs against peers that speak one protocol: a command a line
 * on standard input, a JSON object a line on standard output.
 */
@NullMarked
package dev.heddle.bench;

import org.jspecify.annotations.NullMarked;
