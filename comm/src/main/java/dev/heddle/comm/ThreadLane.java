package dev.heddle.comm;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;

/** The way from one thread's worker to another's, where sends and receives of equal tags meet. */
final class ThreadLane {
  /** What became of a transfer when it came to the lane. */
  enum Outcome {
    FINE,
    MISFIT,
    LEFT
  }

  private final TransferQueue sends = new TransferQueue();
  private final TransferQueue receives = new TransferQueue();
  private final Link.Clock clock;
  private boolean left;

  ThreadLane(Link link) {
    clock = new Link.Clock(link);
  }

  synchronized void imitate(Link link) {
    clock.become(link);
  }

  synchronized Outcome send(ThreadTransport sender, Transfer send) {
    if (left) {
      return Outcome.LEFT;
    }
    send.setArrival(clock.arrival(send.bytes()));
    Transfer receive = receives.take(send.tag());
    if (receive == null) {
      sends.add(send);
      return Outcome.FINE;
    }
    return copy(sender.member(), send.peer(), send, receive);
  }

  synchronized Outcome receive(ThreadTransport receiver, Transfer receive) {
    Transfer send = sends.take(receive.tag());
    if (send != null) {
      notifyAll(); // The sender may be waiting to leave.
      return copy(receiver.member(), receive.peer(), send, receive);
    }
    if (left) {
      return Outcome.LEFT;
    }
    receives.add(receive);
    return Outcome.FINE;
  }

  private Outcome copy(Member member, int peer, Transfer send, Transfer receive) {
    if (!receive.takes(send.bytes())) {
      // Back in the queues, where the failure to come finds whoever waits for them.
      sends.add(send);
      receives.add(receive);
      return Outcome.MISFIT;
    }
    long began = System.nanoTime();
    MemorySegment.copy(
        send.segment(), send.offset(), receive.segment(), receive.offset(), send.bytes());
    member.traffic().transferred(send.kind(), peer, System.nanoTime() - began);
    receive.setArrival(send.arrival());
    // The sender's memory is free as soon as it has been read, whatever the imitated network says.
    send.setArrival(began);
    send.complete();
    receive.complete();
    return Outcome.FINE;
  }

  /** Waits until everything sent has been taken, or the run failed, or time is up. */
  synchronized void drain(Member sender, long deadline) {
    boolean interrupted = false;
    long left = deadline - System.nanoTime();
    while (!sends.isEmpty() && sender.failure() == null && left > 0 && !interrupted) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadline - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends sending and forgets what was not taken; says whether anyone still waits for more. */
  synchronized boolean leaveAsSender() {
    left = true;
    sends.clear();
    return !receives.isEmpty();
  }

  /** Ends receiving; says whether anything that was sent is lost by it. */
  synchronized boolean leaveAsReceiver() {
    left = true;
    receives.clear();
    return !sends.isEmpty();
  }

  /** Makes everyone who waits here look for the failure. */
  synchronized void wakeAll() {
    sends.wakeAll();
    receives.wakeAll();
    notifyAll();
  }
}
