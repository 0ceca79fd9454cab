package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ended at any moment, a run goes on to the same bits. */
class KillTest {
  private static final Pattern STOPPED = Pattern.compile("stopped after epoch (\\d+)");

  @TempDir private Path folder;

  private String graph = "";

  @BeforeEach
  void writeGraph() throws IOException {
    graph = RingGraph.write(folder.resolve("rings"), 200).toString();
  }

  private String[] train(String out, int epochs) {
    return new String[] {
      "train",
      "--graph",
      graph,
      "--epochs",
      "" + epochs,
      "--checkpoint-every",
      "1",
      "--threads",
      "1",
      "--model",
      "sage",
      "--dropout",
      "0.3",
      "--out",
      at(out)
    };
  }

  private String at(String name) {
    return folder.resolve(name).toString();
  }

  private Child start(String... args) throws IOException {
    return Child.start(folder.resolve("output.txt"), args);
  }

  @Test
  void killedTwice() throws IOException, InterruptedException {
    killAndResume(2);
  }

  /** Checkpoints hold all updates; what was loaded ahead is loaded again. */
  @Test
  void killedWithQueuesAndGradientsUnderWay() throws IOException, InterruptedException {
    String flags = "--batch 200 --fanout 4,4 --queues 2 --sync racom --staleness 1";
    killAndResume(1, flags.split(" ", -1));
  }

  @Test
  @Tag("slow")
  void killedThirtyTimes() throws IOException, InterruptedException {
    killAndResume(30);
  }

  private void killAndResume(int times, String... more) throws IOException, InterruptedException {
    String wish = System.getProperty("heddle.seed", "");
    long seed = wish.isEmpty() ? System.nanoTime() : Long.parseLong(wish);
    System.out.println("KillTest -Dheddle.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    long began = System.nanoTime();
    assertThat(start(with(train("straight", 60), more)).await()).isZero();
    long millis = (System.nanoTime() - began) / 1_000_000;
    for (int i = 0; i < times; i++) {
      String out = "killed-" + i;
      String[] first = with(train(out, 60), more);
      Child child = start(first);
      // Most of the time goes to starting the JVM: kills are drawn from what is left.
      Thread.sleep(random.nextLong(millis / 3, millis));
      child.process().destroyForcibly();
      int _ = child.await();
      boolean begun = Files.exists(folder.resolve(out).resolve("run.yaml"));
      Child next = start(begun ? new String[] {"train", "--resume", at(out)} : first);
      assertThat(next.await()).as(next.printed()).isZero();
      assertThat(folder.resolve(out).resolve("model.safetensors"))
          .hasSameBinaryContentAs(folder.resolve("straight/model.safetensors"));
    }
  }

  @Test
  void askedToEndItWritesACheckpointAndSaysHowToGoOn() throws IOException, InterruptedException {
    Child child = start(train("stopped", 1_000_000));
    Path metrics = folder.resolve("stopped/metrics.jsonl");
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (!Files.exists(metrics) || lines(metrics) < 3) {
      assertThat(System.nanoTime()).as(child.printed()).isLessThan(deadline);
      Thread.sleep(20);
    }
    child.process().destroy();
    assertThat(child.await()).isEqualTo(143);
    assertThat(child.printed()).contains("go on with:", "heddle train --resume " + at("stopped"));
    Matcher stopped = STOPPED.matcher(child.printed());
    assertThat(stopped.find()).isTrue();
    int epochs = Integer.parseInt(stopped.group(1)) + 3;
    Ran resumed = Ran.heddle("train", "--resume", at("stopped"), "--epochs", "" + epochs);
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(resumed.err()).contains("going on after epoch " + (epochs - 3));
    assertThat(Ran.heddle(train("straight", epochs)).exit()).isZero();
    assertThat(folder.resolve("stopped/model.safetensors"))
        .hasSameBinaryContentAs(folder.resolve("straight/model.safetensors"));
  }

  private static long lines(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    }
  }
}
