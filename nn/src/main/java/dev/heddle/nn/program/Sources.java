package dev.heddle.nn.program;

import org.jspecify.annotations.Nullable;

/**
 * The rows that an aggregation reads.
 *
 * @param fetch what brings some of them from other workers; null where all are at hand
 */
record Sources(Value rows, @Nullable FetchHalo fetch) {}
