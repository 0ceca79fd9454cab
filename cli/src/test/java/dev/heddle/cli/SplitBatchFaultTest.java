package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers that compute every batch together, one of which is killed: the others end with one line
 * that names it, and the run goes on to the bits of one that nothing happened to, by processes and
 * threads, however many batches are sampled at once, ahead or not.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class SplitBatchFaultTest {
  @TempDir private Path folder;

  private final SplittableRandom random = TestSeed.random(this);

  private void killOne(String... sampling) throws Exception {
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    String[] common = {"--graph", graph, "--epochs", "60", "--dropout", "0.3", "--threads", "3"};
    common = with(common, "--split", "batch", "--batch", "9", "--fanout", "3,2");
    common = with(with(common, "--checkpoint-every", "3", "--keep", "2"), sampling);
    Path undisturbed = folder.resolve("undisturbed");
    String[] threads = {"train", "--workers", "3", "--out", undisturbed.toString()};
    Ran straight = Ran.heddle(with(threads, common));
    assertThat(straight.exit()).as(straight.err()).isZero();

    Path run = folder.resolve("run");
    int victim = random.nextInt(WorkerRun.WORKERS);
    String[] slowly = {"--latency", "3ms", "--silence", "3", "--out", run.toString()};
    try (WorkerRun workers = new WorkerRun(folder.resolve("workers"), with(common, slowly))) {
      for (int rank = 0; rank < WorkerRun.WORKERS; rank++) {
        workers.start(rank);
      }
      workers.awaitBeginning(run);
      Thread.sleep(random.nextInt(1500));
      workers.child(victim).signal("KILL");
      for (int rank = 0; rank < WorkerRun.WORKERS; rank++) {
        if (rank != victim) {
          assertThat(workers.assertFailed(rank)).startsWith("heddle: rank " + victim + " on ");
        }
      }
    }
    goesOn(run, undisturbed);
  }

  private static void goesOn(Path run, Path undisturbed) throws IOException {
    String[] otherwise = {"--latency", "0s", "--macrobatch", "2", "--no-ahead"};
    Ran resumed = Ran.heddle(with(new String[] {"train", "--resume", run.toString()}, otherwise));
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertThat(run.resolve(RunFolder.MODEL))
        .hasSameBinaryContentAs(undisturbed.resolve(RunFolder.MODEL));
  }

  @Test
  void aKilledWorker() throws Exception {
    killOne("--ahead", "--macrobatch", "3", "--sampler", "labor", "--kappa", "2", "--depth", "1");
  }

  @RepeatedTest(20)
  @Tag("slow")
  void killedWorkers() throws Exception {
    killOne("--depth", Integer.toString(random.nextInt(2)));
  }
}
