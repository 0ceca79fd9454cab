package dev.heddle.train.pipeline;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What the threads of one worker did up to a moment.
 *
 * @param threads the one that drives training first
 */
public record WorkerTimes(int worker, List<ThreadTimes> threads) {
  /** Of the messages that bring them to the first worker. */
  private static final int TAG = 1;

  public WorkerTimes {
    threads = List.copyOf(threads);
  }

  /** Nanoseconds of a stage, of all threads. */
  public long nanos(Stage stage) {
    return threads.stream().mapToLong(t -> t.nanos(stage)).sum();
  }

  /** Nanoseconds of a stage that were of a kind, of all threads. */
  public long nanos(Stage stage, Time time) {
    return threads.stream().mapToLong(t -> t.nanos(stage, time)).sum();
  }

  /**
   * Those of all workers, who all call it, at the first one; its own at each of the others. A
   * worker at a time is received, so that no more memory is needed than for the longest.
   */
  public static List<WorkerTimes> gathered(Group group, WorkerTimes own) {
    long[] bytes = new long[group.size()];
    bytes[group.rank()] = own.bytes();
    group.sum(bytes);
    List<WorkerTimes> all = new ArrayList<>(List.of(own));
    if (group.rank() > 0) {
      try (Memory memory = new Memory()) {
        MemorySegment message = memory.allocate(own.bytes()).asSlice(0, own.bytes());
        own.write(message.asByteBuffer());
        group.send(0, TAG, Kind.CONTROL, message).await();
      }
      return all;
    }
    for (int peer = 1; peer < group.size(); peer++) {
      try (Memory memory = new Memory()) {
        MemorySegment message = memory.allocate(bytes[peer]).asSlice(0, bytes[peer]);
        group.receive(peer, TAG, Kind.CONTROL, message).await();
        all.add(read(peer, message.asByteBuffer()));
      }
    }
    return all;
  }

  private int bytes() {
    return Integer.BYTES + threads.stream().mapToInt(ThreadTimes::bytes).sum();
  }

  private void write(ByteBuffer out) {
    out.putInt(threads.size());
    threads.forEach(thread -> thread.write(out));
  }

  private static WorkerTimes read(int worker, ByteBuffer in) {
    int count = in.getInt();
    List<ThreadTimes> threads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      threads.add(ThreadTimes.read(in));
    }
    return new WorkerTimes(worker, threads);
  }
}
