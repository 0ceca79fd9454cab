package dev.heddle.train.batch;

import dev.heddle.comm.Sent;

/**
 * What training in batches takes and sends at one worker, by the first batches of an epoch, which
 * were loaded for this and not trained on.
 *
 * @param steps of an epoch
 * @param loading what this worker sends in an epoch so that batches are loaded, here and elsewhere
 * @param cut whether the worker's part was cut out of the graph, which evaluations use too
 * @param graphBytes of memory for arcs to draw from, and all that was cut out of the graph besides
 *     features
 * @param featureBytes for features of this worker's vertices
 * @param valueBytes for inputs, values and gradients
 * @param loadedBytes for batches that are loaded
 * @param cacheBytes for rows of others that are kept
 * @param work what there was to do for the surveyed batches
 * @param surveyed how many these were
 */
public record BatchSurvey(
    int steps,
    Sent loading,
    boolean cut,
    long graphBytes,
    long featureBytes,
    long valueBytes,
    long loadedBytes,
    long cacheBytes,
    BatchWork work,
    int surveyed) {}
