package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Workers that throw, hang or lose a connection in the middle of a run. */
@Timeout(60)
class FaultTest {
  private static final int WORKERS = 4;

  private final SplittableRandom random = TestSeed.random(this);

  /** What the worker to fail does when its step has come. */
  private interface Fault {
    void happen(Group group) throws Exception;
  }

  /** A fault of one worker at one step, and what all workers made of it. */
  private final class Incident {
    private final int victim = random.nextInt(WORKERS);
    private final int step = random.nextInt(30);
    private final List<GroupException> causes = new CopyOnWriteArrayList<>();

    /** Runs to the end, which must come in time. */
    GroupException run(Fleet fleet, GroupSettings settings, Fault fault) {
      long began = System.nanoTime();
      GroupException thrown =
          catchThrowableOfType(
              GroupException.class, () -> fleet.run(WORKERS, settings, g -> work(g, fault)));
      assertThat(thrown).isNotNull();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
      assertThat(causes).hasSize(WORKERS);
      return thrown;
    }

    /** Whoever noticed first. */
    void assertAllBlame(Integer... culprits) {
      assertThat(causes).extracting(GroupException::rank).isSubsetOf(culprits);
    }

    private void work(Group group, Fault fault) throws Exception {
      try (Memory memory = new Memory()) {
        MemorySegment small = memory.allocateFloats(16);
        MemorySegment large = memory.allocateFloats(50_000);
        for (int s = 0; ; s++) {
          group.at("step " + s);
          if (s == step && group.rank() == victim) {
            fault.happen(group);
          }
          small.set(JAVA_FLOAT, 0, 1);
          group.sum(Kind.CONTROL, small);
          assertThat(small.get(JAVA_FLOAT, 0)).isEqualTo(WORKERS);
          group.sum(Kind.GRADIENT, large);
        }
      } catch (GroupException | IllegalStateException e) {
        group.fail(e);
        GroupException first = group.failure();
        if (first != null) {
          causes.add(first);
        }
        throw e;
      }
    }
  }

  private void aWorkerThrows(Fleet fleet) {
    Incident incident = new Incident();
    GroupException cause =
        incident.run(
            fleet,
            Fleet.SETTINGS,
            _ -> {
              throw new IllegalStateException("boom");
            });
    incident.assertAllBlame(incident.victim);
    assertThat(cause.where()).isEqualTo("step " + incident.step);
    assertThat(cause.what()).contains("boom");
    assertThat(cause).hasMessageContaining("rank " + incident.victim + " on ");
  }

  private void aWorkerHangs(Fleet fleet) {
    Incident incident = new Incident();
    CountDownLatch released = new CountDownLatch(1);
    GroupException cause =
        incident.run(
            fleet,
            Fleet.SETTINGS.withPatience(Duration.ofMillis(300)),
            group -> {
              // Alive all the while, but of no use.
              while (group.failure() == null) {
                Thread.sleep(10);
              }
              released.countDown();
            });
    assertThat(released.getCount()).isZero();
    incident.assertAllBlame(incident.victim);
    assertThat(cause.what()).contains("did not send 64 bytes of CONTROL within");
  }

  private void aConnectionBreaks(Fleet fleet) {
    Incident incident = new Incident();
    int other = (incident.victim + 1 + random.nextInt(WORKERS - 1)) % WORKERS;
    GroupException cause =
        incident.run(
            fleet, Fleet.SETTINGS, group -> ((SocketTransport) group.transport()).cut(other));
    // Each end of a connection sees the other go.
    incident.assertAllBlame(incident.victim, other);
    assertThat(cause.what()).contains("connection");
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void endsEverywhereWhenAWorkerThrows(Fleet fleet) {
    aWorkerThrows(fleet);
    aWorkerThrows(fleet);
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void endsEverywhereWhenAWorkerHangs(Fleet fleet) {
    aWorkerHangs(fleet);
  }

  @ParameterizedTest
  @EnumSource(
      value = Fleet.class,
      names = {"UNIX", "TCP", "TLS"})
  void endsEverywhereWhenAConnectionBreaks(Fleet fleet) {
    aConnectionBreaks(fleet);
    aConnectionBreaks(fleet);
  }

  @Tag("slow")
  @RepeatedTest(25)
  void endsEverywhereAgainAndAgain() {
    for (Fleet fleet : Fleet.values()) {
      aWorkerThrows(fleet);
      aWorkerHangs(fleet);
      if (fleet != Fleet.THREADS) {
        aConnectionBreaks(fleet);
      }
    }
  }

  /** Rank 0 waits for rank 1, which waits for rank 2, which does nothing. */
  @ParameterizedTest
  @EnumSource(Fleet.class)
  void namesWhoKeepsEveryoneWaiting(Fleet fleet) {
    GroupSettings settings =
        Fleet.SETTINGS.withSilence(Duration.ofSeconds(2)).withPatience(Duration.ofMillis(1500));
    GroupException cause =
        catchThrowableOfType(
            GroupException.class,
            () ->
                fleet.run(
                    3,
                    settings,
                    group -> {
                      try (Memory memory = new Memory()) {
                        Thread.sleep(300L * group.rank());
                        int next = group.rank() + 1;
                        if (next < 3) {
                          group.receive(next, 0, Kind.HALO, memory.allocate(64)).await();
                        }
                        while (group.failure() == null) {
                          Thread.sleep(10);
                        }
                      }
                    }));
    assertThat(cause.rank()).isEqualTo(2);
    assertThat(cause.what()).contains("keeps rank 1 waiting");
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void namesWhoLeavesTooEarly(Fleet fleet) {
    GroupException cause =
        catchThrowableOfType(
            GroupException.class,
            () ->
                fleet.run(
                    3,
                    group -> {
                      if (group.rank() != 1) {
                        group.barrier();
                      }
                    }));
    assertThat(cause.rank()).isEqualTo(1);
    assertThat(cause.what()).contains("left while others need it");
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void namesWhoDisagreesOnASize(Fleet fleet) {
    GroupException cause =
        catchThrowableOfType(
            GroupException.class,
            () ->
                fleet.run(
                    2,
                    group -> {
                      try (Memory memory = new Memory()) {
                        MemorySegment bytes = memory.allocate(128).asSlice(0, 100 + group.rank());
                        if (group.rank() == 0) {
                          group.send(1, 0, Kind.HALO, bytes).await();
                        } else {
                          group.receive(0, 0, Kind.HALO, bytes).await();
                        }
                        group.barrier();
                      }
                    }));
    assertThat(cause.what()).containsAnyOf("size", "100 bytes instead of 101");
  }
}
