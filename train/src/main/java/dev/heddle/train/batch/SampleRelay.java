package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Letters;
import dev.heddle.graph.sample.ArcExchange;
import dev.heddle.graph.sample.CooperativeSampler;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.kernel.Memory;
import dev.heddle.train.pipeline.Lane;
import java.lang.foreign.MemorySegment;

/**
 * Moves what samplers of several workers ask each other: a request to each and an answer from each
 * for every hop, however many batches there are.
 */
final class SampleRelay implements ArcExchange, AutoCloseable {
  private final Group group;
  private final Letters requests;
  private final Letters answers;
  private final Lane lane;

  /**
   * A relay of a group that nobody else uses at the same time.
   *
   * @param mostBytes of a message
   * @param lane of the thread that samples
   */
  SampleRelay(Group group, Memory memory, long mostBytes, Lane lane) {
    this.group = group;
    this.lane = lane;
    requests = Letters.of(group, memory, Kind.SAMPLE_REQUEST, mostBytes);
    answers = Letters.of(group, memory, Kind.SAMPLE, mostBytes);
  }

  @Override
  public void sum(MemorySegment floats) {
    lane.beginWait();
    group.sum(Kind.SAMPLE, floats);
    lane.end();
  }

  @Override
  public void exchange(NeighbourSampler sampler) {
    int others = group.size() - 1;
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      MemorySegment paper = requests.paper(peer, sampler.mostRequestBytes(peer));
      requests.send(peer, sampler.writeRequest(peer, paper, Letters.TEXT));
    }
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      long asked = receive(requests, peer);
      long bytes = sampler.answerBytes(requests.received(peer), Letters.TEXT, asked, Letters.TEXT);
      sampler.writeAnswer(answers.paper(peer, bytes), Letters.TEXT);
      answers.send(peer, bytes);
    }
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      long _ = receive(answers, peer);
      sampler.take(peer, answers.received(peer), Letters.TEXT);
    }
  }

  @Override
  public void tell(CooperativeSampler sampler) {
    int others = group.size() - 1;
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      MemorySegment paper = requests.paper(peer, sampler.mostRequestBytes(peer));
      requests.send(peer, sampler.writeRequest(peer, paper, Letters.TEXT));
    }
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      long bytes = receive(requests, peer);
      sampler.readRequest(peer, requests.received(peer), Letters.TEXT, bytes);
    }
  }

  private long receive(Letters letters, int peer) {
    lane.beginWait();
    long bytes = letters.receive(peer);
    lane.end();
    return bytes;
  }

  /** The others, beginning after this worker's rank, so that not all turn to the same one first. */
  private int peer(int i) {
    return (group.rank() + 1 + i) % group.size();
  }

  long bytes() {
    return requests.bytes() + answers.bytes();
  }

  @Override
  public void close() {
    requests.close();
    answers.close();
  }
}
