package dev.heddle.nn;

import java.util.Locale;

/** Which normalisation a model has between its layers. */
public enum NormKind {
  NONE,
  /** Of each row (Ba, Kiros & Hinton, 2016). */
  LAYER,
  /** Of each column (Ioffe & Szegedy, 2015). */
  BATCH;

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
