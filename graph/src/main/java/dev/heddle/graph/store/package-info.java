/** The graph store: a folder of checksummed arrays that are used where they lie. */
@NullMarked
package dev.heddle.graph.store;

import org.jspecify.annotations.NullMarked;
