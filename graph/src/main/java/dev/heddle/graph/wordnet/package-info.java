/**
 * WordNet 3.1 as a graph to learn on: meanings are vertices, the pointers between them arcs.
 *
 * <p>The data files come with a jar of their own and are read as they are. What other packages need
 * is {@link dev.heddle.graph.wordnet.WordNet}; the rest is how it is read.
 */
@NullMarked
package dev.heddle.graph.wordnet;

import org.jspecify.annotations.NullMarked;
