package dev.heddle.cli.ui;

import java.util.Locale;

/** How far a run has come. */
enum RunState {
  /** A process holds its folder. */
  RUNNING,
  /** It left a summary. */
  FINISHED,
  /** Neither: it was stopped, or ended early. */
  INTERRUPTED;

  /** As the page calls it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
