package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Workers that each have a part sample what one does that has it all; bytes go by hand. */
class MacroSamplerTest {
  private static final int TEXT = 8;

  private final Memory memory = new Memory();
  private final SplittableRandom random = RandomArcs.random(this);

  @AfterEach
  void close() {
    memory.close();
  }

  /** A worker and what it has sampled. */
  private record Member(
      MacroSampler sampler, SeedOrder seeds, List<SampledBatch> batches, ThreadTeam threads) {
    void close() {
      batches.forEach(SampledBatch::close);
      sampler.close();
      threads.close();
    }
  }

  private Member member(SampleCase c, Partition owners, int worker, int batches) {
    ThreadTeam threads = ThreadTeam.of(1 + random.nextInt(2));
    boolean replicated = c.seeds().length % 8 == 0;
    OwnArcs own =
        replicated
            ? OwnArcs.everything(c.in(), owners, worker)
            : OwnArcs.of(c.in(), owners, worker, memory);
    MacroSampler sampler =
        MacroSampler.of(own, c.settings(), c.needs(), new NeighbourSampler.Place(threads, memory));
    SeedOrder seeds =
        SeedOrder.of(c.seeds(), c.batchSize(), 5).seeing(v -> owners.partOf(v) == worker);
    List<SampledBatch> into = new ArrayList<>();
    for (int k = 0; k < batches; k++) {
      into.add(sampler.newBatch(memory));
    }
    return new Member(sampler, seeds, into, threads);
  }

  /** What a group would do. */
  private static void sumDegrees(List<Member> members, int vertices) {
    float[] sum = new float[vertices];
    for (Member member : members) {
      MemorySegment own = member.sampler.incompleteDegrees();
      for (int v = 0; own != null && v < vertices; v++) {
        sum[v] += own.getAtIndex(JAVA_FLOAT, v);
      }
    }
    for (Member member : members) {
      MemorySegment own = member.sampler.incompleteDegrees();
      if (own != null) {
        MemorySegment.copy(sum, 0, own, JAVA_FLOAT, 0, vertices);
      }
    }
  }

  private void sample(List<Member> members, int first, int count) {
    for (Member m : members) {
      m.sampler.begin(m.seeds, first, m.batches.subList(0, count));
    }
    for (int hop = 0; hop < members.getFirst().sampler.hops(); hop++) {
      members.forEach(m -> m.sampler.ask());
      for (int asking = 0; asking < members.size(); asking++) {
        for (int asked = 0; asked < members.size(); asked++) {
          if (asking != asked) {
            ask(members.get(asking).sampler, members.get(asked).sampler, asked);
          }
        }
      }
      members.forEach(m -> m.sampler.finishHop());
    }
  }

  private void ask(MacroSampler asking, MacroSampler asked, int worker) {
    long most = asking.mostRequestBytes(worker);
    MemorySegment request = memory.allocate(TEXT + most);
    long bytes = asking.writeRequest(worker, request, TEXT);
    assertThat(bytes).isLessThanOrEqualTo(most);
    long size = asked.answerBytes(request, TEXT, bytes, TEXT);
    // Not a byte more than said.
    MemorySegment answer = memory.allocate(TEXT + size).asSlice(0, TEXT + size);
    asked.writeAnswer(answer, TEXT);
    asking.take(worker, answer, TEXT);
  }

  @Test
  void partsSampleWhatTheWholeDoes() {
    for (int i = 0; i < 25; i++) {
      SampleCase c = SampleCase.random(random, memory);
      int workers = 1 + random.nextInt(5);
      int n = c.in().rows();
      int[] part = IntStream.range(0, n).map(_ -> random.nextInt(workers)).toArray();
      Partition owners = Partition.of(workers, part);
      int at = 1 + random.nextInt(MacroSampler.MOST_BATCHES);
      List<Member> members =
          IntStream.range(0, workers).mapToObj(w -> member(c, owners, w, at)).toList();
      sumDegrees(members, n);
      for (int epoch = 1; epoch <= 2; epoch++) {
        for (Member m : members) {
          m.seeds.epoch(epoch);
        }
        int all = members.getFirst().seeds.batches();
        for (int first = 0; first < all; first += at) {
          int count = Math.min(at, all - first);
          sample(members, first, count);
          for (Member m : members) {
            assertSampledAlone(c, m, first, count);
          }
        }
      }
      members.forEach(Member::close);
    }
  }

  private static void assertSampledAlone(SampleCase c, Member m, int first, int count) {
    try (Memory own = new Memory();
        ThreadTeam threads = ThreadTeam.of(1);
        NeighbourSampler alone =
            NeighbourSampler.of(
                c.in(), c.settings(), c.needs(), new NeighbourSampler.Place(threads, own));
        SampledBatch expected = alone.newBatch(own)) {
      for (int k = 0; k < count; k++) {
        alone.sample(m.seeds, first + k, expected);
        assertSame(m.batches.get(k), expected, c.needs());
      }
    }
  }

  private static void assertSame(SampledBatch is, SampledBatch should, BlockNeeds needs) {
    assertThat(is.seeds()).isEqualTo(should.seeds());
    assertThat(is.number()).isEqualTo(should.number());
    for (int depth = 0; depth <= should.hops(); depth++) {
      assertThat(is.rows(depth)).isEqualTo(should.rows(depth));
    }
    for (int row = 0; row < should.rows(should.hops()); row++) {
      assertThat(is.ids().at(row)).isEqualTo(should.ids().at(row));
    }
    for (int h = 0; h < should.hops(); h++) {
      assertSame(is.hop(h).in(), should.hop(h).in());
      if (h < should.hops() - 1 || !needs.firstGiven()) {
        assertSame(is.hop(h).block().out(), should.hop(h).block().out());
        if (needs.symmetric()) {
          MemorySegment roots = should.hop(h).block().symmetricSource();
          for (int row = 0; row < should.rows(h + 1); row++) {
            assertThat(is.hop(h).block().symmetricSource().getAtIndex(JAVA_FLOAT, row))
                .isEqualTo(roots.getAtIndex(JAVA_FLOAT, row));
          }
        }
      }
    }
  }

  private static void assertSame(Csr is, Csr should) {
    assertThat(is.rows()).isEqualTo(should.rows());
    assertThat(is.cols()).isEqualTo(should.cols());
    for (int row = 0; row < should.rows(); row++) {
      assertThat(is.offset(row + 1)).isEqualTo(should.offset(row + 1));
    }
    for (long arc = 0; arc < should.arcs(); arc++) {
      assertThat(is.id(arc)).isEqualTo(should.id(arc));
      assertThat(is.weight(arc)).isEqualTo(should.weight(arc));
    }
  }

  /** Where batches have much in common, one list with sets is shorter than a list for each. */
  @Test
  void oneRequestIsShorterThanOneForEachBatch() {
    for (int batches : new int[] {4, 8, 9, 16, 32}) {
      ArcRequest together = new ArcRequest();
      long apart = 0;
      for (int k = 0; k < batches; k++) {
        ArcRequest one = new ArcRequest();
        for (int v = 0; v < 2000; v++) {
          // Hubs are in most batches, others in few.
          if (random.nextInt(v < 1500 ? 10 : 100) < 7) {
            together.add(37 * v, k, v);
            one.add(37 * v, 0, v);
          }
        }
        one.sort();
        apart += written(one, 1).bytes;
      }
      together.sort();
      Written all = written(together, batches);
      assertThat(all.bytes).isLessThan(apart);
      ArcRequest read = new ArcRequest();
      read.read(batches, all.text, TEXT, TEXT + all.bytes);
      assertThat(read.pairs()).isEqualTo(together.pairs());
      for (int pair = 0; pair < read.pairs(); pair++) {
        assertThat(read.vertex(pair)).isEqualTo(together.vertex(pair));
        assertThat(read.batch(pair)).isEqualTo(together.batch(pair));
      }
    }
  }

  private record Written(MemorySegment text, long bytes) {}

  private Written written(ArcRequest request, int batches) {
    MemorySegment text = memory.allocate(TEXT + request.mostBytes(batches));
    return new Written(text, request.write(batches, text, TEXT) - TEXT);
  }
}
