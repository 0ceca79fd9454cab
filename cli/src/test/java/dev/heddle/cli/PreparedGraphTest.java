package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PreparedGraphTest {
  @TempDir private Path folder;

  private Ran train(String out, Path graph, List<String> more) {
    List<String> told =
        List.of("train", "--graph", graph.toString(), "--epochs", "5", "--workers", "2");
    return Ran.heddle(
        Stream.of(told, List.of("--row-normalise", "--out", folder.resolve(out).toString()), more)
            .flatMap(List::stream)
            .toArray(String[]::new));
  }

  /** Workers need the store alone, and come to the same bits; nothing of it is left. */
  @Test
  void standsForTheGraphItWasMadeOf() throws IOException {
    Path rings = RingGraph.write(folder.resolve("rings"), 40);
    assertThat(train("read", rings, List.of()).exit()).isZero();
    GraphOptions options = new GraphOptions();
    new CommandLine(
            CommandLine.Model.CommandSpec.create()
                .addMixin("graph", CommandLine.Model.CommandSpec.forAnnotatedObject(options)))
        .parseArgs("--graph", rings.toString(), "--row-normalise");
    Path scratch = folder.resolve("scratch");
    PreparedGraph made;
    try (Graph whole = options.open(new Memory())) {
      made = PreparedGraph.of(options, whole, scratch);
    }
    try (PreparedGraph prepared = made) {
      Files.move(rings, folder.resolve("gone"));
      Ran ran = train("mapped", rings, prepared.arguments());
      assertThat(ran.exit()).as(ran.err()).isZero();
    }
    assertThat(folder.resolve("mapped").resolve(RunFolder.MODEL))
        .hasSameBinaryContentAs(folder.resolve("read").resolve(RunFolder.MODEL));
    assertThat(scratch).isEmptyDirectory();
  }
}
