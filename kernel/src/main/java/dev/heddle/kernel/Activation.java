package dev.heddle.kernel;

/** What is applied to every element of a layer's result. */
public enum Activation {
  NONE,
  /** {@code max(0, x)}. */
  RELU,
  /** {@code x} above zero, {@code eˣ − 1} below (Clevert, Unterthiner & Hochreiter, 2016). */
  ELU
}
