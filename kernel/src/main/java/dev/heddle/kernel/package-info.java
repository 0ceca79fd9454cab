/**
 * Off-heap matrices, the numeric kernels over them, parallel loops and keyed random numbers.
 *
 * <p>Nothing here knows what a vertex, a layer or a worker process is. Each kernel family is one
 * interface with a scalar reference and a SIMD implementation; {@link dev.heddle.kernel.Kernels}
 * chooses between them once.
 */
@NullMarked
package dev.heddle.kernel;

import org.jspecify.annotations.NullMarked;
