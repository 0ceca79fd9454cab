/**
 * Which row travels at how many bits: what its rounding costs in variance against what it costs in
 * time (AdaQP, Wan et al., 2023). Arithmetic alone; nothing here talks to anyone.
 */
@NullMarked
package dev.heddle.train.assign;

import org.jspecify.annotations.NullMarked;
