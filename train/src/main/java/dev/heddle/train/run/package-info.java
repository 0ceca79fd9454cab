/**
 * What a run leaves: the history of its epochs, checkpoints, trained models, and what tells two
 * runs apart.
 */
@NullMarked
package dev.heddle.train.run;

import org.jspecify.annotations.NullMarked;
