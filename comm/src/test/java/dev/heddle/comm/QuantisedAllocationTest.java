package dev.heddle.comm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What rounds of rows at a few bits an element allocate, by scalar kernels. */
@Timeout(60)
class QuantisedAllocationTest {
  private final SomeRows some = new SomeRows(TestSeed.random(this).nextLong());

  /** TLS is the JDK's, and allocates. */
  @ParameterizedTest
  @EnumSource(value = Fleet.class, mode = EnumSource.Mode.EXCLUDE, names = "TLS")
  void allocatesNothingInSteadyState(Fleet fleet) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    fleet.run(
        3,
        group -> {
          RowExchange.Routes routes = some.routes(group.rank(), 3);
          try (Memory memory = new Memory();
              ThreadTeam team = ThreadTeam.of(1)) {
            RowExchange exchange =
                RowExchange.over(group, memory, routes, Codec.Quantised.of(4, null));
            Matrix x = some.own(memory, group.rank(), SomeRows.count(routes), 16);
            Matrix gradient = Matrix.allocate(memory, x.rows(), 16);
            // What the JDK's channels allocate for a message is not ours to save.
            long limit = fleet == Fleet.THREADS ? 64 : 4096;
            int rounds = 400;
            long least = Long.MAX_VALUE;
            // Until all is compiled something may be made anew, at whichever worker is last.
            long[] waiting = {1};
            for (int batch = 0; batch < 100 && waiting[0] > 0; batch++) {
              long before = threads.getCurrentThreadAllocatedBytes();
              for (int round = 0; round < rounds; round++) {
                exchange.drawsBy(round);
                exchange.start(team, x, x, Kind.HALO);
                exchange.finish(team);
                exchange.startBack(team, x, gradient, Kind.HALO);
                exchange.finishBack(team);
              }
              least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / rounds);
              waiting[0] = least < limit ? 0 : 1;
              group.sum(waiting);
            }
            assertThat(least).isLessThan(limit);
            exchange.close();
          }
        });
  }
}
