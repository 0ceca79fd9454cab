package dev.heddle.cli;

import java.util.Locale;

/** A switch that is written out. */
enum OnOff {
  ON,
  OFF;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
