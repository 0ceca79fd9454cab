/**
 * Models cut by their layers (GNNPipe, arXiv 2308.10087): stages that each have some layers, chunks
 * of vertices that pass through them, and the history that stands for chunks to come.
 */
@NullMarked
package dev.heddle.train.layers;

import org.jspecify.annotations.NullMarked;
