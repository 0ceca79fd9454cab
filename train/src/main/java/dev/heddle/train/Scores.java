package dev.heddle.train;

/** The metric on the three parts of a split; NaN where a part is empty. */
public record Scores(double train, double valid, double test) {}
