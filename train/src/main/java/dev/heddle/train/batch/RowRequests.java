package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Letters;
import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.graph.sample.NeededRows;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.train.pipeline.Lane;
import java.lang.foreign.MemorySegment;

/** Who wants the features of which vertices: a letter to every worker, and one from each. */
final class RowRequests implements AutoCloseable {
  private final Group group;
  private final NeededRows rows;
  private final Letters letters;
  private final GrowingBuffer asked;
  private final Lane lane;

  /**
   * Requests for the rows that are listed, of a group that nobody else uses at the same time.
   *
   * @param lane of the thread that fetches
   */
  RowRequests(Group group, NeededRows rows, Memory memory, long mostBytes, Lane lane) {
    this.group = group;
    this.lane = lane;
    this.rows = rows;
    letters = Letters.of(group, memory, Kind.FEATURE_REQUEST, mostBytes);
    asked = new GrowingBuffer(memory);
  }

  /** How many others there are. */
  int others() {
    return group.size() - 1;
  }

  /** The others, beginning after this worker's rank, so that not all turn to the same one first. */
  int peer(int i) {
    return (group.rank() + 1 + i) % group.size();
  }

  void send(int peer) {
    MemorySegment paper = letters.paper(peer, rows.mostRequestBytes(peer));
    letters.send(peer, rows.writeRequest(peer, paper, Letters.TEXT));
  }

  /** Waits for what a worker wants; returns how many rows these are. */
  int receive(int peer) {
    lane.beginWait();
    long bytes = letters.receive(peer);
    lane.end();
    return rows.readRequest(letters.received(peer), Letters.TEXT, bytes, asked);
  }

  /** The rows of this worker's part that are wanted. */
  RowIds asked() {
    return new RowIds(asked.segment());
  }

  long bytes() {
    return letters.bytes() + asked.bytes();
  }

  @Override
  public void close() {
    letters.close();
  }
}
