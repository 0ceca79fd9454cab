package dev.heddle.cli.ui;

import java.nio.file.Path;

/** A run of this process, as the page's buttons reach it. */
public interface RunControl {
  /** Its folder. */
  Path folder();

  /** Asks it to end after its epoch, as Ctrl-C does. */
  void stop();
}
