package dev.heddle.cli.ui;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs in a folder and the folders within it. What was read is kept until a file of the run
 * changes, so that a thousand runs are read once.
 */
final class RunCatalog {
  /** How far below the root runs are looked for. */
  private static final int DEPTH = 5;

  private final Path root;
  private final @Nullable Path own;
  private final Map<Path, Known> known = new ConcurrentHashMap<>();
  private volatile boolean ended;

  /** A run as it was read, and what its files were like then. */
  private record Known(Stamp stamp, RunRow run) {}

  /** Sizes and times of the files that a record is made of. */
  private record Stamp(List<Long> numbers) {
    static Stamp of(Path folder) {
      List<Long> numbers = new ArrayList<>();
      for (String name :
          List.of(RunRow.CONFIG, RunRow.ENVIRONMENT, RunRow.METRICS, RunRow.SUMMARY)) {
        try {
          BasicFileAttributes file =
              Files.readAttributes(folder.resolve(name), BasicFileAttributes.class);
          numbers.add(file.size());
          numbers.add(file.lastModifiedTime().toMillis());
        } catch (IOException _) {
          numbers.add(-1L);
        }
      }
      return new Stamp(List.copyOf(numbers));
    }
  }

  /** A run that cannot be read, and why. */
  record Problem(String id, String why) {}

  /**
   * What there is.
   *
   * @param runs that were read, the newest first
   */
  record Listing(List<RunRow> runs, List<Problem> problems) {
    int found() {
      return runs.size() + problems.size();
    }
  }

  /**
   * A catalogue of a folder.
   *
   * @param own the run of this process, if it is one
   */
  RunCatalog(Path root, @Nullable Path own) {
    this.root = root.toAbsolutePath().normalize();
    this.own = own == null ? null : own.toAbsolutePath().normalize();
  }

  Path root() {
    return root;
  }

  /** The run of this process is over. */
  void ownHasEnded() {
    ended = true;
  }

  /** Reads what is new or has changed. */
  Listing list() {
    List<Path> folders = folders();
    known.keySet().retainAll(folders);
    Map<Path, Problem> problems = new ConcurrentHashMap<>();
    List<RunRow> runs =
        folders.parallelStream()
            .map(folder -> {
              try {
                return read(folder);
              } catch (IOException e) {
                problems.put(folder, new Problem(id(folder), String.valueOf(e.getMessage())));
                return null;
              }
            })
            .filter(run -> run != null)
            .sorted(Comparator.comparing(RunCatalog::started).reversed())
            .toList();
    return new Listing(runs, List.copyOf(new HashMap<>(problems).values()));
  }

  private static String started(RunRow run) {
    return run.values().getOrDefault("started", "") + run.id();
  }

  private RunRow read(Path folder) throws IOException {
    Stamp stamp = Stamp.of(folder);
    Known before = known.get(folder);
    // Whether a run goes on shows in no file.
    if (before != null
        && before.stamp.equals(stamp)
        && before.run.state() == RunState.FINISHED
        && !folder.equals(own)) {
      return before.run;
    }
    RunRow.Holder holder =
        !folder.equals(own)
            ? RunRow.Holder.ELSEWHERE
            : ended ? RunRow.Holder.OWN_ENDED : RunRow.Holder.OWN_RUNNING;
    RunRow run = RunRow.read(folder, id(folder), holder);
    known.put(folder, new Known(stamp, run));
    return run;
  }

  /** The folder of a run; null if there is no run of that name below the root. */
  @Nullable Path folder(String id) {
    Path folder = root.resolve(id).normalize();
    boolean below = folder.startsWith(root);
    return below && Files.isRegularFile(folder.resolve(RunRow.CONFIG), LinkOption.NOFOLLOW_LINKS)
        ? folder
        : null;
  }

  /** A run as it is now. */
  RunRow run(Path folder) throws IOException {
    return read(folder);
  }

  private String id(Path folder) {
    String below = root.relativize(folder).toString().replace('\\', '/');
    return below.isEmpty() ? "." : below;
  }

  private List<Path> folders() {
    List<Path> folders = new ArrayList<>();
    try {
      Files.walkFileTree(
          root,
          EnumSet.noneOf(java.nio.file.FileVisitOption.class),
          DEPTH,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              if (Files.isRegularFile(folder.resolve(RunRow.CONFIG))) {
                folders.add(folder);
                return FileVisitResult.SKIP_SUBTREE;
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              // A folder that is not ours to read, or that went away meanwhile.
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (NoSuchFileException _) {
      return folders;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return folders;
  }
}
