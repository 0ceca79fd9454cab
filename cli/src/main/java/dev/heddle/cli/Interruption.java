package dev.heddle.cli;

import dev.heddle.train.Training;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What happens on Ctrl-C or a request to end: training is asked to stop after its epoch, and the
 * process stays until the checkpoint is written.
 */
final class Interruption implements AutoCloseable {
  /** An epoch that takes longer is lost; the checkpoint before it is not. */
  private static final long DEADLINE_SECONDS = 60;

  private final CountDownLatch done = new CountDownLatch(1);
  private final Thread hook;

  Interruption(Training training) {
    hook = Thread.ofPlatform().name("heddle-interruption").unstarted(() -> stop(training));
    Runtime.getRuntime().addShutdownHook(hook);
  }

  private void stop(Training training) {
    training.stop();
    try {
      if (!done.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("heddle: the epoch did not end in time; the last checkpoint holds");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Training is over and all is written. */
  @Override
  public void close() {
    done.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The process is ending: the hook has run.
    }
  }
}
