/**
 * Graphs in memory: arcs by destination and the blocks made of them, features, labels and splits,
 * reading them from files, generating them, and the order in which vertices lie in memory.
 *
 * <p>No learning happens here, and no loop over feature columns beyond copying and scaling them.
 */
@NullMarked
package dev.heddle.graph;

import org.jspecify.annotations.NullMarked;
