package dev.heddle.cli;

import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say what a run leaves behind and how much it may take. */
final class RunOptions {
  @Option(
      names = "--out",
      description = "Folder of this run (default: runs/<time>-<graph>-<model>).")
  private @Nullable Path out;

  @Option(
      names = "--checkpoint-every",
      description =
          "Epochs from one checkpoint to the next; 0 for the last alone"
              + " (default: ${DEFAULT-VALUE}).")
  private int checkpointEvery = 20;

  @Option(
      names = "--keep",
      description = "How many checkpoints are kept (default: ${DEFAULT-VALUE}).")
  private int keep = 2;

  @Option(
      names = "--memory",
      description =
          "Most memory outside the heap: 512m, 8g (default: what the system has available).")
  private @Nullable String memory;

  @Option(
      names = "--scratch",
      description =
          "Folder on a disk where the values and gradients of training lie in files, so that they"
              + " may exceed memory.")
  private @Nullable Path scratch;

  @Option(names = "--save", description = "Write the model to this safetensors file too.")
  private @Nullable Path save;

  @Option(
      names = "--trace",
      description =
          "Write what all workers did when to this file of Chrome trace events, which Perfetto"
              + " opens.")
  private @Nullable Path trace;

  @Option(
      names = "--ui",
      description =
          "Show the run as it goes on a page in the browser, served to this machine alone at the"
              + " address that is printed.")
  private boolean ui;

  @Option(
      names = "--ui-port",
      description = "Port of that page; 0 for any that is free (default: ${DEFAULT-VALUE}).")
  private int uiPort;

  /** Whether the run is shown on a page. */
  boolean ui() {
    return ui;
  }

  int uiPort() {
    if (uiPort < 0 || uiPort > 65535) {
      throw new InputException("--ui-port is a number from 0 to 65535, not " + uiPort);
    }
    return uiPort;
  }

  @Nullable Path out() {
    return out;
  }

  int checkpointEvery() {
    return checkpointEvery;
  }

  int keep() {
    return keep;
  }

  @Nullable Path save() {
    return save;
  }

  /** Where the timeline goes; null if nobody wants it. */
  @Nullable TraceFile trace() {
    return trace == null ? null : new TraceFile(trace);
  }

  @Nullable Path scratch() {
    return scratch;
  }

  /** Bytes that may be taken. */
  long memoryLimit() {
    return memory == null ? SystemMemory.availableBytes() : bytes("--memory", memory);
  }

  /** What an option says in bytes. */
  static long bytes(String option, String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    int shift =
        switch (lower.isEmpty() ? ' ' : lower.charAt(lower.length() - 1)) {
          case 'k' -> 10;
          case 'm' -> 20;
          case 'g' -> 30;
          case 't' -> 40;
          default -> 0;
        };
    try {
      long count = Long.parseLong(shift == 0 ? lower : lower.substring(0, lower.length() - 1));
      if (count > 0 && count <= Long.MAX_VALUE >> shift) {
        return count << shift;
      }
    } catch (NumberFormatException _) {
      // Told below.
    }
    throw new InputException(option + " is a number of bytes like 512m or 8g, not '" + text + "'");
  }
}
