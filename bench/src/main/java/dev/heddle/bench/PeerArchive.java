package dev.heddle.bench;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.store.StoreWriter;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The JVM's archive of classes and of what it has learned of methods, which the {@code heddle}
 * command makes when it is built and starts with: {@link HeddlePeer} stands for that command and
 * has one, too. Made once in a benchmark, by a short training.
 */
final class PeerArchive {
  private static final Path FILE = make();

  private PeerArchive() {}

  /** The flag to start with. */
  static String flag() {
    return "-XX:AOTCache=" + FILE;
  }

  private static Path make() {
    try {
      Path folder = Files.createTempDirectory("heddle-peer-");
      Path archive = folder.resolve("peer.aot");
      folder.toFile().deleteOnExit();
      archive.toFile().deleteOnExit();
      Path small = Files.createTempDirectory("heddle-peer-graph-");
      try (ThreadTeam team = ThreadTeam.of(1);
          Graph graph = CommunityGraph.of(2000).width(64).classes(4).seed(1).generate(team)) {
        StoreWriter.write(graph, small.resolve(PeerGraphs.STORE), false);
        train(small, archive);
      } finally {
        Folders.delete(small);
      }
      return archive;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make an archive of classes", e);
    }
  }

  private static void train(Path graph, Path archive) throws IOException {
    List<String> flags = List.of("-XX:AOTCacheOutput=" + archive, "-Xlog:disable");
    List<String> command =
        new ArrayList<>(HeddlePeer.command(flags, List.of("--graph", "" + graph)));
    Process process =
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var commands = process.outputWriter(StandardCharsets.UTF_8)) {
      commands.write("epochs 100\nexit\n");
    }
    try {
      if (!process.waitFor(2, TimeUnit.MINUTES) || !Files.exists(archive)) {
        throw new IOException("failed: " + String.join(" ", command));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }
}
