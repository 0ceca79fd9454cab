package dev.heddle.train;

import dev.heddle.comm.Traffic;
import dev.heddle.train.pipeline.WorkerTimes;

/**
 * What a worker is at, at a moment of a run.
 *
 * @param traffic what it has sent so far
 * @param takenBytes of its memory outside the heap; workers that are threads of a process share it
 * @param limitBytes as {@code --memory} says
 */
public record LiveState(
    WorkerTimes times, Traffic traffic, long takenBytes, long peakBytes, long limitBytes) {}
