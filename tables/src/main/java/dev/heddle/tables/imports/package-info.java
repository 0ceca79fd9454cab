/**
 * Tables that people have become a store: what their columns are is guessed and said, what has to
 * be learnt is learnt from training rows, ids are joined to vertices, arcs are sorted on disk.
 */
@NullMarked
package dev.heddle.tables.imports;

import org.jspecify.annotations.NullMarked;
