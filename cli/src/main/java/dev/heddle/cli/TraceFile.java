package dev.heddle.cli;

import dev.heddle.train.pipeline.ChromeTrace;
import dev.heddle.train.pipeline.ThreadTimes;
import dev.heddle.train.pipeline.WorkerTimes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** What all workers did when, as a file that Perfetto opens: {@code heddle train --trace}. */
final class TraceFile {
  private final Path file;

  TraceFile(Path file) {
    this.file = file;
  }

  /** Refuses, at the worker that will write it, what cannot be written when training has ended. */
  void check() {
    Path parent = file.toAbsolutePath().getParent();
    if (parent == null || !Files.isWritable(parent) || Files.isDirectory(file)) {
      throw new InputException("--trace " + file + ": cannot be written");
    }
  }

  /** Writes the file, which appears when it is whole. */
  void write(List<WorkerTimes> workers, PrintWriter log) {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      try (Writer out = Files.newBufferedWriter(temporary)) {
        ChromeTrace.write(workers, out);
      }
      Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new InputException(file + ": cannot be written: " + e.getMessage(), e);
    }
    long lost =
        workers.stream()
            .flatMap(worker -> worker.threads().stream())
            .mapToLong(ThreadTimes::overflowed)
            .sum();
    if (lost > 0) {
      log.println("heddle: " + file + " has the end of the run; " + lost + " events are not in it");
    }
  }
}
