package dev.heddle.comm;

import java.io.IOException;
import java.nio.channels.Channel;
import java.time.Duration;

/** Closes a channel if it is still talked to after a time: blocking channels know no timeout. */
final class Deadline implements AutoCloseable {
  private final Thread alarm;

  private Deadline(Channel channel, Duration time) {
    alarm = Thread.ofVirtual().name("heddle-deadline").start(() -> wait(channel, time));
  }

  static Deadline of(Channel channel, Duration time) {
    return new Deadline(channel, time);
  }

  private static void wait(Channel channel, Duration time) {
    try {
      Thread.sleep(time);
      channel.close();
    } catch (InterruptedException | IOException e) {
      // In time; or closed already.
    }
  }

  @Override
  public void close() {
    alarm.interrupt();
  }
}
