package dev.heddle.train.run;

/** The metric on the three parts of a split; NaN where a part is empty. */
public record Scores(double train, double valid, double test) {}
