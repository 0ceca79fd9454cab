package dev.heddle.train.run;

/** Which Heddle this is. */
public final class Version {
  public static final String CURRENT = "0.1.0-SNAPSHOT";

  private Version() {}
}
