package dev.heddle.graph.sample;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;

/** Samplers of several workers, each in a thread of its own, who read what others have written. */
final class ThreadExchange {
  private static final int TEXT = 8;
  private static final int SECONDS_TO_WAIT = 60;

  private final int workers;
  private final Memory memory;
  private final CyclicBarrier barrier;
  private final MemorySegment[] floats;
  private final Message[][] requests;
  private final Message[][] answers;

  ThreadExchange(int workers, Memory memory) {
    this.workers = workers;
    this.memory = memory;
    barrier = new CyclicBarrier(workers);
    floats = new MemorySegment[workers];
    requests = new Message[workers][workers];
    answers = new Message[workers][workers];
  }

  /** Bytes from {@link #TEXT} on. */
  private record Message(MemorySegment memory, long bytes) {}

  /** Runs something for every worker, all at once. */
  void run(IntConsumer work) {
    try (ExecutorService threads = Executors.newFixedThreadPool(workers)) {
      List<Future<?>> all = new ArrayList<>();
      for (int w = 0; w < workers; w++) {
        int worker = w;
        all.add(threads.submit(() -> runOne(work, worker)));
      }
      for (Future<?> one : all) {
        one.get(2L * SECONDS_TO_WAIT, SECONDS);
      }
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  private void runOne(IntConsumer work, int worker) {
    try {
      work.accept(worker);
    } catch (Throwable e) {
      // So that nobody waits for this worker.
      barrier.reset();
      throw e;
    }
  }

  private void await() {
    try {
      barrier.await(SECONDS_TO_WAIT, SECONDS);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new AssertionError("another worker did not come", e);
    }
  }

  /** The exchange of one of the workers. */
  ArcExchange of(int worker) {
    return new ArcExchange() {
      @Override
      public void sum(MemorySegment own) {
        floats[worker] = own;
        await();
        float[] sums = new float[(int) (own.byteSize() / Float.BYTES)];
        for (MemorySegment one : floats) {
          for (int v = 0; v < sums.length; v++) {
            sums[v] += one.getAtIndex(JAVA_FLOAT, v);
          }
        }
        await();
        MemorySegment.copy(sums, 0, own, JAVA_FLOAT, 0, sums.length);
      }

      @Override
      public void exchange(NeighbourSampler sampler) {
        forOthers(worker, peer -> requests[worker][peer] = request(sampler, peer));
        await();
        forOthers(worker, peer -> answers[worker][peer] = answer(sampler, requests[peer][worker]));
        await();
        forOthers(worker, peer -> sampler.take(peer, answers[peer][worker].memory, TEXT));
      }

      @Override
      public void tell(CooperativeSampler sampler) {
        forOthers(worker, peer -> requests[worker][peer] = request(sampler, peer));
        await();
        forOthers(
            worker,
            peer -> {
              Message request = requests[peer][worker];
              sampler.readRequest(peer, request.memory, TEXT, request.bytes);
            });
        await();
      }
    };
  }

  private void forOthers(int worker, IntConsumer action) {
    for (int i = 1; i < workers; i++) {
      action.accept((worker + i) % workers);
    }
  }

  private Message request(NeighbourSampler sampler, int peer) {
    long most = sampler.mostRequestBytes(peer);
    MemorySegment into = memory.allocate(TEXT + most);
    long bytes = sampler.writeRequest(peer, into, TEXT);
    assertThat(bytes).isLessThanOrEqualTo(most);
    return new Message(into, bytes);
  }

  private Message request(CooperativeSampler sampler, int peer) {
    long most = sampler.mostRequestBytes(peer);
    MemorySegment into = memory.allocate(TEXT + most);
    long bytes = sampler.writeRequest(peer, into, TEXT);
    assertThat(bytes).isLessThanOrEqualTo(most);
    return new Message(into, bytes);
  }

  private Message answer(NeighbourSampler sampler, Message request) {
    long bytes = sampler.answerBytes(request.memory, TEXT, request.bytes, TEXT);
    // Not a byte more than said.
    MemorySegment into = memory.allocate(TEXT + bytes).asSlice(0, TEXT + bytes);
    sampler.writeAnswer(into, TEXT);
    return new Message(into, bytes);
  }
}
