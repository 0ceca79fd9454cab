package dev.heddle.comm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** What one worker has sent so far, by kind and peer; only what is not zero is listed. */
public record Traffic(List<Flow> flows) {
  /**
   * What went from this worker to one other.
   *
   * @param bytes payload alone
   * @param framingBytes headers, and signs of life and readiness; counted as {@link Kind#CONTROL}
   *     where they belong to no message
   * @param waitingNanos how long callers waited for transfers of this kind from and to the peer
   * @param transferNanos how long bytes were being copied or written
   */
  public record Flow(
      Kind kind,
      int peer,
      long bytes,
      long messages,
      long framingBytes,
      long waitingNanos,
      long transferNanos) {
    private Flow minus(Flow f) {
      return new Flow(
          kind,
          peer,
          bytes - f.bytes,
          messages - f.messages,
          framingBytes - f.framingBytes,
          waitingNanos - f.waitingNanos,
          transferNanos - f.transferNanos);
    }
  }

  /** What was sent since an earlier look. */
  public Traffic since(Traffic earlier) {
    List<Flow> difference = new ArrayList<>();
    for (Flow flow : flows) {
      Flow change = flow;
      for (Flow before : earlier.flows) {
        if (before.kind == flow.kind && before.peer == flow.peer) {
          change = flow.minus(before);
        }
      }
      difference.add(change);
    }
    return new Traffic(List.copyOf(difference));
  }

  public long bytes() {
    return sum(Flow::bytes);
  }

  public long messages() {
    return sum(Flow::messages);
  }

  public long framingBytes() {
    return sum(Flow::framingBytes);
  }

  public long waitingNanos() {
    return sum(Flow::waitingNanos);
  }

  public long transferNanos() {
    return sum(Flow::transferNanos);
  }

  public Traffic of(Kind kind) {
    return new Traffic(flows.stream().filter(f -> f.kind == kind).toList());
  }

  public Traffic to(int peer) {
    return new Traffic(flows.stream().filter(f -> f.peer == peer).toList());
  }

  private long sum(ToLongFunction<Flow> field) {
    return flows.stream().mapToLong(field).sum();
  }
}
