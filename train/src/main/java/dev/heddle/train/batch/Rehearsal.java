package dev.heddle.train.batch;

/**
 * What loading and computing some batches took at one worker, what was waited for aside.
 *
 * @param work that was done
 * @param sampleSeconds drawing arcs
 * @param loadSeconds reading rows of features
 * @param computeSeconds forward and backward
 */
public record Rehearsal(
    BatchWork work, double sampleSeconds, double loadSeconds, double computeSeconds) {}
