package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LettersTest {
  private static final int ROUNDS = 6;

  private final long seed = TestSeed.random(this).nextLong();

  /** Lengths around what one message holds, and nothing. */
  private long length(int round, int from, int to, long most) {
    long first = Math.min(most, Outbox.EAGER_BYTES);
    var random = new SplittableRandom(seed + 1000L * round + 10L * from + to);
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1 -> first - Letters.TEXT;
      case 2 -> first - Letters.TEXT + 1;
      case 3 -> random.nextLong(200);
      default -> random.nextLong(3 * first);
    };
  }

  private byte letter(int round, int from, int to, long at) {
    return (byte) Draws.at(seed + 1000L * round + 10L * from + to, at);
  }

  @ParameterizedTest
  @EnumSource
  void everyoneGetsWhatWasWritten(Fleet fleet) {
    for (long most : new long[] {61, Parcels.MOST_BYTES}) {
      fleet.run(
          3,
          group -> {
            try (Memory memory = new Memory();
                Letters letters = Letters.of(group, memory, Kind.SAMPLE, most)) {
              for (int round = 0; round < ROUNDS; round++) {
                exchange(group, letters, round, most);
              }
            }
          });
    }
  }

  private void exchange(Group group, Letters letters, int round, long most) {
    int me = group.rank();
    for (int peer = 0; peer < group.size(); peer++) {
      if (peer != me) {
        long bytes = length(round, me, peer, most);
        MemorySegment paper = letters.paper(peer, bytes);
        for (long i = 0; i < bytes; i++) {
          paper.set(JAVA_BYTE, Letters.TEXT + i, letter(round, me, peer, i));
        }
        letters.send(peer, bytes);
      }
    }
    for (int peer = 0; peer < group.size(); peer++) {
      if (peer != me) {
        long bytes = letters.receive(peer);
        assertThat(bytes).isEqualTo(length(round, peer, me, most));
        MemorySegment text = letters.received(peer);
        for (long i = 0; i < bytes; i++) {
          assertThat(text.get(JAVA_BYTE, Letters.TEXT + i)).isEqualTo(letter(round, peer, me, i));
        }
      }
    }
  }

  /** A short letter is one message; a longer one as many as its length says. */
  @Test
  void messagesAreAsManyAsNeeded() {
    LocalWorkers.run(
        2,
        GroupSettings.DEFAULT,
        group -> {
          try (Memory memory = new Memory();
              Letters letters = Letters.of(group, memory, Kind.SAMPLE, 100)) {
            for (long bytes : new long[] {0, 92, 93, 192, 193}) {
              Traffic before = group.traffic();
              int other = 1 - group.rank();
              MemorySegment _ = letters.paper(other, bytes);
              letters.send(other, bytes);
              assertThat(letters.receive(other)).isEqualTo(bytes);
              Traffic sent = group.traffic().since(before);
              assertThat(sent.messages()).isEqualTo(Math.max(1, (bytes + 8 + 99) / 100));
              assertThat(sent.bytes()).isEqualTo(bytes + 8);
            }
          }
        });
  }
}
