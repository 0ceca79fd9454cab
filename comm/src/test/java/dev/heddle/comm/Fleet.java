package dev.heddle.comm;

import java.time.Duration;

/** The transports, as places to run workers in tests. */
enum Fleet {
  THREADS {
    @Override
    void run(int size, GroupSettings settings, LocalWorkers.Body body) {
      LocalWorkers.run(size, settings, body);
    }
  };

  /** No test waits longer than this for anything. */
  static final GroupSettings SETTINGS =
      GroupSettings.DEFAULT
          .withSilence(Duration.ofSeconds(10))
          .withPatience(Duration.ofSeconds(20));

  abstract void run(int size, GroupSettings settings, LocalWorkers.Body body);

  void run(int size, LocalWorkers.Body body) {
    run(size, SETTINGS, body);
  }
}
