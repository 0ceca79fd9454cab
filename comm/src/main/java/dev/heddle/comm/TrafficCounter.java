package dev.heddle.comm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The counters behind {@link Traffic}: a cell per kind, peer and quantity; counting is free of
 * locks.
 */
final class TrafficCounter {
  private static final int BYTES = 0;
  private static final int MESSAGES = 1;
  private static final int FRAMING = 2;
  private static final int WAITING = 3;
  private static final int TRANSFER = 4;
  private static final int QUANTITIES = 5;

  private final int peers;
  private final AtomicLongArray cells;

  TrafficCounter(int peers) {
    this.peers = peers;
    cells = new AtomicLongArray(Kind.values().length * peers * QUANTITIES);
  }

  void sent(Kind kind, int peer, long bytes) {
    cells.getAndAdd(cell(kind, peer, BYTES), bytes);
    cells.getAndAdd(cell(kind, peer, MESSAGES), 1);
  }

  void framing(Kind kind, int peer, long bytes) {
    cells.getAndAdd(cell(kind, peer, FRAMING), bytes);
  }

  void waited(Kind kind, int peer, long nanos) {
    cells.getAndAdd(cell(kind, peer, WAITING), nanos);
  }

  void transferred(Kind kind, int peer, long nanos) {
    cells.getAndAdd(cell(kind, peer, TRANSFER), nanos);
  }

  private int cell(Kind kind, int peer, int quantity) {
    return (kind.number() * peers + peer) * QUANTITIES + quantity;
  }

  Traffic snapshot() {
    List<Traffic.Flow> flows = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (int peer = 0; peer < peers; peer++) {
        Traffic.Flow flow =
            new Traffic.Flow(
                kind,
                peer,
                cells.get(cell(kind, peer, BYTES)),
                cells.get(cell(kind, peer, MESSAGES)),
                cells.get(cell(kind, peer, FRAMING)),
                cells.get(cell(kind, peer, WAITING)),
                cells.get(cell(kind, peer, TRANSFER)));
        if (flow.messages() + flow.framingBytes() + flow.waitingNanos() > 0) {
          flows.add(flow);
        }
      }
    }
    return new Traffic(List.copyOf(flows));
  }
}
