package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What becomes of a run when one of its processes dies, freezes, loses a socket or is talked to by
 * strangers: those that are left end with one line about the first cause, nothing is left running,
 * and the run goes on to the bits of one that nothing happened to.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class WorkerFaultTest {
  /** An epoch takes some tens of milliseconds, all of them latency. */
  private static final String[] SLOWLY = {"--latency", "3ms", "--silence", "3"};

  @TempDir private static Path undisturbed;
  private static String[] options = {};

  @TempDir private Path folder;

  private final SplittableRandom random = TestSeed.random(this);

  @BeforeAll
  static void trainUndisturbed() throws IOException {
    String graph = RingGraph.write(undisturbed.resolve("rings"), 40).toString();
    options =
        new String[] {"--graph", graph, "--epochs", "100", "--dropout", "0.3", "--threads", "3"};
    options = with(options, "--checkpoint-every", "3", "--keep", "2");
    Path out = undisturbed.resolve("run");
    String[] command = {"train", "--workers", "3", "--out", out.toString()};
    Ran ran = Ran.heddle(with(command, options));
    assertThat(ran.exit()).as(ran.err()).isZero();
  }

  private Path run() {
    return folder.resolve("run");
  }

  private WorkerRun workers(String... more) throws IOException {
    return new WorkerRun(
        folder.resolve("workers"), with(with(options, "--out", run().toString()), more));
  }

  private void assertUndisturbed() {
    assertThat(run().resolve(RunFolder.MODEL))
        .hasSameBinaryContentAs(undisturbed.resolve("run").resolve(RunFolder.MODEL));
  }

  private void assertGoesOn() {
    Ran resumed = Ran.heddle("train", "--resume", run().toString(), "--latency", "0s");
    assertThat(resumed.exit()).as(resumed.err()).isZero();
    assertUndisturbed();
  }

  /** What happens to a worker. */
  private interface Fault {
    void happen(Child victim) throws Exception;
  }

  /**
   * Lets a fault happen to a random worker at a random moment.
   *
   * @param blamed whether it is always the victim that is blamed; else also the other end
   */
  private void disturb(Class<?> main, Fault fault, boolean blamed) throws Exception {
    int victim = random.nextInt(WorkerRun.WORKERS);
    try (WorkerRun workers = workers(SLOWLY)) {
      for (int rank = 0; rank < WorkerRun.WORKERS; rank++) {
        workers.start(rank, main);
      }
      workers.awaitBeginning(run());
      Thread.sleep(random.nextInt(1500));
      fault.happen(workers.child(victim));
      for (int rank = 0; rank < WorkerRun.WORKERS; rank++) {
        if (rank != victim || !blamed) {
          String culprit = blamed ? Integer.toString(victim) : "[0-2]";
          // Before the first epoch there is no step yet.
          assertThat(workers.assertFailed(rank))
              .matches(
                  "heddle: rank " + culprit + " on \\S+, at (epoch \\d+, step 1|the start): .+");
        }
      }
      if (blamed && workers.child(victim).process().isAlive()) {
        workers.child(victim).signal("CONT");
        workers.assertFailed(victim);
      }
    }
    assertGoesOn();
  }

  private void kill() throws Exception {
    disturb(Heddle.class, victim -> victim.signal("KILL"), true);
  }

  private void freeze() throws Exception {
    disturb(Heddle.class, victim -> victim.signal("STOP"), true);
  }

  private void closeSocket() throws Exception {
    disturb(
        CutHeddle.class,
        victim -> {
          OutputStream words = victim.process().getOutputStream();
          words.write(random.nextInt(100));
          words.flush();
        },
        false);
  }

  /** To the ports of workers that wait for the others, and to the same ports later. */
  private void garbage() throws Exception {
    List<Socket> silent = new ArrayList<>();
    try (WorkerRun workers = workers()) {
      workers.start(0);
      workers.start(1);
      int[] ports = {workers.awaitPort(0), workers.awaitPort(1)};
      assertThat(ports[0]).isEqualTo(workers.port());
      for (int port : ports) {
        silent.add(new Socket(InetAddress.getLoopbackAddress(), port)); // Stays and says nothing.
        for (int i = 0; i < 10; i++) {
          sendGarbage(port);
        }
      }
      workers.start(2);
      workers.awaitBeginning(run());
      for (int port : ports) {
        sendGarbage(port);
      }
      workers.assertEndedWell();
      assertThat(workers.child(0).printed()).contains("refused a connection");
      assertThat(workers.child(1).printed()).contains("refused a connection");
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
    assertUndisturbed();
  }

  private void sendGarbage(int port) {
    byte[] garbage = new byte[random.nextInt(1, 5000)];
    random.nextBytes(garbage);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(garbage);
    } catch (IOException e) {
      // Hung up on, or nobody is there any more.
    }
  }

  private void wrongSecret() throws Exception {
    int last = random.nextInt(1, WorkerRun.WORKERS);
    try (WorkerRun workers = workers()) {
      workers.start(0);
      workers.start(WorkerRun.WORKERS - last);
      Child stranger = workers.stranger(last, "secret " + random.nextInt());
      assertThat(stranger.await()).as(stranger.printed()).isEqualTo(1);
      assertThat(stranger.printed())
          .contains("it refused this worker: it does not know the secret");
      workers.start(last);
      workers.assertEndedWell();
      assertThat(workers.child(0).printed()).contains("does not know the secret");
    }
    assertUndisturbed();
  }

  @Test
  void aKilledWorker() throws Exception {
    kill();
  }

  @Test
  void aFrozenWorker() throws Exception {
    freeze();
  }

  @Test
  void aClosedSocket() throws Exception {
    closeSocket();
  }

  @Test
  void garbageAtAPort() throws Exception {
    garbage();
  }

  @Test
  void aWrongSecret() throws Exception {
    wrongSecret();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void killedWorkers() throws Exception {
    kill();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void frozenWorkers() throws Exception {
    freeze();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void closedSockets() throws Exception {
    closeSocket();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void garbageAtPorts() throws Exception {
    garbage();
  }

  @RepeatedTest(20)
  @Tag("slow")
  void wrongSecrets() throws Exception {
    wrongSecret();
  }
}
