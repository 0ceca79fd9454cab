package dev.heddle.train;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.CommunityGraph;
import dev.heddle.kernel.ThreadTeam;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/own-network.md, as it is there. */
class DocumentedNetworkTest {
  private static final Path ROOT = Path.of(System.getProperty("heddle.root", ".."));

  @TempDir private Path folder;

  @Test
  void trainsAndReadsWhatItSaved() throws Exception {
    Path source = folder.resolve("OwnNetwork.java");
    Files.writeString(source, program());
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                errors,
                "-proc:none",
                "-classpath",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                "-d",
                folder.toString(),
                source.toString());
    assertThat(failed).as(errors.toString(UTF_8)).isZero();
    Path store = folder.resolve("graph.store");
    try (ThreadTeam team = ThreadTeam.of(1)) {
      CommunityGraph.of(300)
          .averageDegree(8)
          .communities(4)
          .classes(4)
          .width(12)
          .seed(7)
          .generate(team, store, false);
    }
    String said = run(store, folder.resolve("own.safetensors"));
    Matcher accuracies =
        Pattern.compile("test accuracy ([0-9.]+) %\ntest accuracy again ([0-9.]+) %").matcher(said);
    assertThat(accuracies.find()).as(said).isTrue();
    assertThat(Double.parseDouble(accuracies.group(1))).isGreaterThan(80);
    assertThat(accuracies.group(2)).isEqualTo(accuracies.group(1));
  }

  private static String program() throws Exception {
    Matcher block =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(ROOT.resolve("docs/own-network.md")));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  /** What it prints for a graph and the file that it writes. */
  private String run(Path graph, Path file) throws Exception {
    PrintStream usual = System.out;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      System.setOut(new PrintStream(said, true, UTF_8));
      loader
          .loadClass("OwnNetwork")
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {graph.toString(), file.toString()});
    } finally {
      System.setOut(usual);
    }
    return said.toString(UTF_8);
  }
}
