package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import org.jspecify.annotations.Nullable;

/**
 * What the worker that leads a run, or is the only one, has at hand when it begins.
 *
 * @param partition among several workers; null for one
 * @param budget memory in which all that the run takes counts
 */
record StartedRun(
    Graph graph, RunFolder folder, @Nullable ChosenPartition partition, Memory budget) {}
