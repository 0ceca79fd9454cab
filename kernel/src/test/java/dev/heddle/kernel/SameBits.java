package dev.heddle.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.function.Function;

/** Checks that results do not depend on the number of threads, in any bit. */
final class SameBits {
  private SameBits() {}

  /** Runs {@code work} on teams of one, two and three; it returns all that it computed. */
  static void forAnyThreads(Function<ThreadTeam, Matrix[]> work) {
    Object[] first = {};
    for (int threads = 1; threads <= 3; threads++) {
      Object[] results;
      try (ThreadTeam team = ThreadTeam.of(threads)) {
        results = Arrays.stream(work.apply(team)).map(Matrix::toArray).toArray();
      }
      first = threads == 1 ? results : first;
      assertThat(Arrays.deepEquals(results, first)).as("%d threads", threads).isTrue();
    }
  }
}
