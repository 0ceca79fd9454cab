package dev.heddle.graph;

/** What a sum over in-arcs u→v is multiplied by; {@code d} is the weighted in-degree. */
public enum Normalisation {
  /** {@code Σ w_uv x_u}. */
  SUM,

  /** {@code 1/d_v Σ w_uv x_u}. */
  MEAN,

  /** {@code Σ w_uv x_u / √(d_u d_v)} (Kipf & Welling, ICLR 2017, eq. 2). */
  SYMMETRIC
}
