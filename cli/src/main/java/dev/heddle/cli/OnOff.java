package dev.heddle.cli;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A switch that is written out. */
enum OnOff {
  ON,
  OFF;

  /** What an option says, else what holds without it. */
  static boolean or(@Nullable OnOff said, boolean otherwise) {
    return said == null ? otherwise : said == ON;
  }

  static OnOff of(boolean value) {
    return value ? ON : OFF;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
