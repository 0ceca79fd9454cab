package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.MemoryLimitException;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What groups take counts in the budget they were given, is limited by it, and comes back. */
@Timeout(60)
class BudgetTest {
  private final SomeRows some = new SomeRows(TestSeed.random(this).nextLong());

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void memoryOfGroupsCountsAndComesBack(Fleet fleet) {
    try (Memory budget = new Memory()) {
      fleet.run(
          2,
          Fleet.SETTINGS,
          budget,
          group -> {
            long connections = fleet == Fleet.THREADS ? 0 : 2 * (64 << 10);
            group.barrier();
            assertThat(budget.bytes()).isGreaterThanOrEqualTo(connections);
            try (Memory own = new Memory()) {
              // Each worker sums half of it, of both.
              group.sum(Kind.GRADIENT, own.allocateFloats(100_000));
              group.barrier();
              assertThat(budget.bytes()).isGreaterThanOrEqualTo(connections + 2 * 400_000);
              group.barrier();
              // A subgroup has plans of its own.
              Group both = group.subgroup(0, 1);
              both.sum(Kind.GRADIENT, own.allocateFloats(100_000));
              both.barrier();
              assertThat(budget.bytes()).isGreaterThanOrEqualTo(connections + 4 * 400_000);
              group.barrier();
              both.close();
              group.barrier();
              long before = budget.bytes();
              assertThat(before).isLessThan(connections + 4 * 400_000);
              group.barrier();
              LinkProbe.Samples[] _ = LinkProbe.measure(group);
              group.barrier();
              assertThat(budget.bytes()).isEqualTo(before);
              assertThat(budget.peakBytes()).isGreaterThan(before + (256 << 10));
              // Who leaves first gives back what the other still counts.
              group.barrier();
            }
          });
      assertThat(budget.bytes()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Fleet.class)
  void refusesWhatDoesNotFit(Fleet fleet) {
    try (Memory budget = Memory.limitedTo(1_000_000)) {
      Throwable thrown =
          catchThrowable(() ->
              fleet.run(
                  2,
                  Fleet.SETTINGS,
                  budget,
                  group -> {
                    try (Memory own = new Memory()) {
                      MemorySegment values = own.allocateFloats(1_000_000);
                      group.sum(Kind.GRADIENT, values.asSlice(0, 40_000));
                      group.at("the large sum");
                      group.sum(Kind.GRADIENT, values);
                    }
                  }));
      assertThat(thrown)
          .isInstanceOf(GroupException.class)
          .hasMessageContaining("at the large sum: ")
          .hasMessageContaining("MB of memory or more, but may take 1.0 MB");
      assertThat(budget.bytes()).isZero();
      assertThat(budget.peakBytes()).isBetween(40_000L, 1_000_000L);
    }
  }

  /** Whoever has no memory for its connections says so, and the other does not wait for it. */
  @Test
  void refusesConnectionsThatDoNotFit() throws IOException {
    String place = "127.0.0.1:" + Fleet.freePort();
    CompletableFuture<Throwable> other =
        CompletableFuture.supplyAsync(() ->
            catchThrowable(() -> {
              try (Group group = Group.join(Fleet.joining(0, 2, place))) {
                group.barrier();
              }
            }));
    try (Memory budget = Memory.limitedTo(10_000)) {
      assertThatThrownBy(() -> Group.join(Fleet.joining(1, 2, place), budget))
          .isInstanceOf(MemoryLimitException.class)
          .hasMessageContaining("may take 0.0 MB");
      assertThat(budget.bytes()).isZero();
    }
    assertThat(other.orTimeout(10, TimeUnit.SECONDS).join())
        .isInstanceOf(GroupException.class)
        .hasMessageContaining("rank 1");
  }

  /** A wider round that has no room is refused; what there was is given back with the exchange. */
  @Test
  void refusesRoundsThatAreTooWide() {
    Throwable thrown =
        catchThrowable(() ->
            LocalWorkers.run(
                2,
                Fleet.SETTINGS.withPatience(Duration.ofSeconds(10)),
                group -> {
                  RowExchange.Routes routes = some.routes(group.rank(), 2);
                  long narrow = RowExchange.bytes(routes, Codec.FP32, 3);
                  try (Memory memory = new Memory();
                      Memory limited = memory.childLimitedTo(narrow);
                      ThreadTeam team = ThreadTeam.of(1)) {
                    RowExchange exchange = RowExchange.over(group, limited, routes, Codec.FP32);
                    for (int cols : new int[] {3, 300}) {
                      group.at(cols + " columns");
                      Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), cols);
                      exchange.start(team, x, x, Kind.HALO);
                      exchange.finish(team);
                    }
                  }
                }));
    assertThat(thrown)
        .isInstanceOf(GroupException.class)
        .hasMessageContaining("at 300 columns: ")
        .hasMessageContaining("MemoryLimitException");
  }
}
