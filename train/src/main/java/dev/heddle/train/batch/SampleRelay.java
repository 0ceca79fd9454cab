package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Letters;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.SeedOrder;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Samples batches together with all other workers: a request to each and an answer from each for
 * every hop, however many batches there are.
 */
final class SampleRelay implements AutoCloseable {
  private final Group group;
  private final MacroSampler sampler;
  private final Letters requests;
  private final Letters answers;

  /** A relay of a group that nobody else uses at the same time. */
  SampleRelay(Group group, MacroSampler sampler, Memory memory, long mostBytes) {
    this.group = group;
    this.sampler = sampler;
    requests = Letters.of(group, memory, Kind.SAMPLE_REQUEST, mostBytes);
    answers = Letters.of(group, memory, Kind.SAMPLE, mostBytes);
    MemorySegment degrees = sampler.incompleteDegrees();
    if (degrees != null) {
      group.sum(Kind.SAMPLE, degrees);
    }
  }

  void sample(SeedOrder seeds, int first, List<SampledBatch> into) {
    sampler.begin(seeds, first, into);
    for (int hop = 0; hop < sampler.hops(); hop++) {
      sampler.ask();
      if (sampler.asks()) {
        relay();
      }
      sampler.finishHop();
    }
  }

  private void relay() {
    int others = group.size() - 1;
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      MemorySegment paper = requests.paper(peer, sampler.mostRequestBytes(peer));
      requests.send(peer, sampler.writeRequest(peer, paper, Letters.TEXT));
    }
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      long asked = requests.receive(peer);
      long bytes = sampler.answerBytes(requests.received(peer), Letters.TEXT, asked, Letters.TEXT);
      sampler.writeAnswer(answers.paper(peer, bytes), Letters.TEXT);
      answers.send(peer, bytes);
    }
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      long _ = answers.receive(peer);
      sampler.take(peer, answers.received(peer), Letters.TEXT);
    }
  }

  /** The others, beginning after this worker's rank, so that not all turn to the same one first. */
  private int peer(int i) {
    return (group.rank() + 1 + i) % group.size();
  }

  long tableBytes() {
    return sampler.tableBytes();
  }

  long bytes() {
    return requests.bytes() + answers.bytes() + sampler.bytes();
  }

  @Override
  public void close() {
    requests.close();
    answers.close();
    sampler.close();
  }
}
