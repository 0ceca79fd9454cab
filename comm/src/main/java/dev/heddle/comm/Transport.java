package dev.heddle.comm;

import java.time.Duration;

/**
 * What moves bytes between workers: point to point, by tag, in any order of tags and first come
 * first served within one. A send may be done only when it has been received.
 */
sealed interface Transport permits ThreadTransport, SocketTransport {
  Member member();

  /** Takes a send on its way; {@link Transfer#complete} is called when its memory is free again. */
  void send(Transfer transfer);

  /** Awaits a message; {@link Transfer#complete} is called when it is all there. */
  void receive(Transfer transfer);

  /** Changes the imitated link to a worker, for what is sent from now on. */
  void imitate(int peer, Link link);

  /** Whom a worker was waiting for when it was last heard of, or {@link Member#NOBODY}. */
  int waitsFor(int peer);

  /** Makes everything under way fail, here and at all other workers, unless it failed before. */
  void fail(GroupException cause);

  /** Lets what was sent arrive, for at most so long, and leaves. */
  void close(Duration linger);
}
