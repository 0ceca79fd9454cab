package dev.heddle.graph;

/** Which vertices a model learns from, is chosen by and is judged by; each ascending. */
@SuppressWarnings("ArrayRecordComponent") // Shared and never compared; copies would cost memory.
public record Split(int[] train, int[] valid, int[] test) {}
