package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Who is let in. Rank 0 of three listens, wrong ones come, then the right ones: the run goes on.
 */
@Timeout(60)
class RendezvousTest {
  private final SplittableRandom random = TestSeed.random(this);
  private final List<String> log = new CopyOnWriteArrayList<>();
  private final Logger logger = Logger.getLogger("dev.heddle.comm");
  private String place = "";

  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          log.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void listen() throws IOException {
    place = "127.0.0.1:" + Fleet.freePort();
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void unlisten() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  /** What a stranger does at rank 0's address while it waits. */
  private interface Stranger {
    void call() throws Exception;
  }

  /** Runs three workers of which the last two come only after the stranger has been. */
  private void runWith(Stranger stranger) {
    CountDownLatch been = new CountDownLatch(1);
    Thread caller =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                awaitListener();
                stranger.call();
              } catch (Exception e) {
                log.add("the stranger: " + e);
              } finally {
                been.countDown();
              }
            });
    Fleet.join(
        3,
        rank -> {
          if (rank > 0) {
            await(been);
          }
          return Fleet.joining(rank, 3, place);
        },
        group -> {
          long[] one = {1};
          group.sum(one);
          assertThat(one[0]).isEqualTo(3);
        });
    assertThat(caller.isAlive()).isFalse();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private void awaitListener() throws InterruptedException {
    for (int tries = 0; tries < 400; tries++) {
      try (SocketChannel _ = Endpoint.parse(place).connect()) {
        return;
      } catch (IOException e) {
        Thread.sleep(20);
      }
    }
  }

  private void assertRefused(JoinSettings wrong, String why) {
    runWith(() ->
        assertThatThrownBy(() -> Group.join(wrong))
            .isInstanceOf(GroupException.class)
            .hasMessageContaining(why));
    assertThat(log).anyMatch(line -> line.contains("refused") && line.contains(why));
  }

  private JoinSettings right(int rank) {
    return Fleet.joining(rank, 3, place);
  }

  /** Proves to be rank 1 and hangs up, after having said where it listens or before. */
  private void joinAndDie(boolean afterAddress) throws IOException {
    try (SocketChannel channel = Endpoint.parse(place).connect()) {
      Wire wire = Wire.calling(channel, right(1));
      Handshake.call(wire, right(1), Handshake.Purpose.JOIN, 0);
      if (afterAddress) {
        byte[] address = Address.encode(List.of(Address.here(List.of())));
        wire.write(
            ByteBuffer.allocate(4 + address.length).putInt(address.length).put(address).flip());
      }
    }
  }

  @Test
  void aWorkerThatDiedBeforeItSaidWhereItListensIsReplaced() {
    runWith(() -> joinAndDie(false));
  }

  @Test
  void aWorkerThatDiedWhileItWaitedForTheOthersIsReplaced() {
    runWith(() -> joinAndDie(true));
  }

  @Test
  void silentCallersKeepNobodyOut() {
    List<SocketChannel> silent = new CopyOnWriteArrayList<>();
    try {
      runWith(() -> {
        for (int i = 0; i < 300; i++) {
          silent.add(Endpoint.parse(place).connect());
        }
      });
      assertThat(silent).hasSize(300);
      assertThat(log).anyMatch(line -> line.contains("others came while it did not prove itself"));
      assertThat(log).noneMatch(line -> line.endsWith("null"));
    } finally {
      silent.forEach(Door::closeQuietly);
    }
  }

  @Test
  void refusesAWrongSecret() {
    JoinSettings wrong = JoinSettings.of(1, 3, place, "another").within(Duration.ofSeconds(5));
    assertRefused(wrong, "does not know the secret");
  }

  @Test
  void refusesAnotherJob() {
    assertRefused(right(1).withJob("other"), "belongs to another job");
  }

  @Test
  void refusesAnotherSizeOfTheRun() {
    assertRefused(Fleet.joining(1, 4, place), "of a run of 4 workers");
  }

  @Test
  void refusesASecondRankZero() {
    runWith(() -> {
      try (SocketChannel channel = Endpoint.parse(place).connect()) {
        assertThatThrownBy(
                () -> Handshake.call(new PlainWire(channel), right(0), Handshake.Purpose.JOIN, 0))
            .hasMessageContaining("no business here");
      }
    });
    assertThat(log).anyMatch(line -> line.contains("rank 0 has no business here"));
  }

  @Test
  void refusesARankThatIsThereAlready() throws IOException {
    Rendezvous rendezvous = Rendezvous.of(right(0));
    Handshake.Caller caller = new Handshake.Caller(1, Handshake.Purpose.JOIN);
    rendezvous.admit(caller);
    assertThatThrownBy(() -> rendezvous.admit(caller)).hasMessageContaining("a rank 1 already");
  }

  @Test
  void refusesAnotherVersion() {
    runWith(() -> {
      try (SocketChannel channel = Endpoint.parse(place).connect()) {
        assertThatThrownBy(() ->
                Handshake.call(new PlainWire(channel), right(1), Handshake.Purpose.JOIN, 0, 7))
            .hasMessageContaining("version 7");
      }
    });
    assertThat(log).anyMatch(line -> line.contains("version 7, not 1"));
  }

  @Test
  void isNotDisturbedByGarbageOrSilence() throws IOException {
    SocketChannel[] silent = new SocketChannel[1];
    runWith(() -> {
      silent[0] = Endpoint.parse(place).connect(); // Says nothing, and stays.
      for (int i = 0; i < 20; i++) {
        byte[] garbage = new byte[random.nextInt(300)];
        random.nextBytes(garbage);
        try (SocketChannel channel = Endpoint.parse(place).connect()) {
          channel.write(ByteBuffer.wrap(garbage));
        }
      }
    });
    silent[0].close();
    assertThat(log).anyMatch(line -> line.contains("refused"));
    assertThat(log).noneMatch(line -> line.contains("the stranger"));
  }

  /** A listener that lets everyone in, but cannot prove that it should. */
  @Test
  void theCallerIsNotFooledByAListenerWithoutTheSecret() throws Exception {
    try (ServerSocketChannel listener = Endpoint.parse(place).listen()) {
      Thread impostor =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                try (SocketChannel channel = listener.accept()) {
                  channel.read(ByteBuffer.allocate(85));
                  channel.write(ByteBuffer.allocate(33).put(0, (byte) 1));
                  channel.read(ByteBuffer.allocate(32));
                  channel.write(ByteBuffer.allocate(33).put(0, (byte) 1));
                } catch (IOException e) {
                  log.add(e.toString());
                }
              });
      assertThatThrownBy(() -> Group.join(Fleet.joining(1, 2, place)))
          .isInstanceOf(GroupException.class)
          .hasMessageContaining("the listener does not know the secret");
      impostor.join();
    }
  }

  @Test
  void endsAtTheDeadlineNamingWhoIsMissing() {
    JoinSettings alone = right(0).within(Duration.ofMillis(300));
    assertThatThrownBy(() -> Group.join(alone))
        .isInstanceOf(GroupException.class)
        .hasMessageContaining("[1, 2] did not come within 300 ms");
    assertThatThrownBy(() -> Group.join(right(2).within(Duration.ofMillis(300))))
        .isInstanceOf(GroupException.class)
        .hasMessageContaining("rank 0")
        .hasMessageContaining("did not answer within 300 ms");
  }

  @Test
  void usesUnixSocketsInsideAHost() {
    Fleet.join(
        3,
        rank -> right(rank).withUnixSockets(true),
        group -> {
          long[] one = {1};
          group.sum(one);
          assertThat(one[0]).isEqualTo(3);
        });
  }

  @Test
  void checksSettingsAndKeepsTheSecret() {
    assertThatThrownBy(() -> JoinSettings.of(3, 3, place, "s")).hasMessageContaining("rank 3");
    assertThatThrownBy(() -> JoinSettings.of(0, 3, place, "")).hasMessageContaining("secret");
    assertThatThrownBy(() -> JoinSettings.of(0, 3, "nowhere", "s")).hasMessageContaining("nowhere");
    assertThat(right(1).toString()).doesNotContain("a secret of tests").contains("rank 1 of 3");
  }
}
