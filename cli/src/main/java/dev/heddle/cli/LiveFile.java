package dev.heddle.cli;

import dev.heddle.comm.Traffic;
import dev.heddle.train.LiveState;
import dev.heddle.train.Training;
import dev.heddle.train.pipeline.Span;
import dev.heddle.train.pipeline.ThreadTimes;
import dev.heddle.train.pipeline.Time;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/**
 * What one worker is at, for the page of runs: {@code live/worker-0.json} in the run's folder,
 * replaced every second by a thread of its own and gone when training ends. Training itself does
 * nothing for it: what is written is read from its timeline and counters.
 */
final class LiveFile implements AutoCloseable {
  static final String FOLDER = "live";

  private static final JsonMapper JSON = new JsonMapper();
  private static final long PERIOD_MILLIS = 1000;

  /** Of each thread: what a page shows of the last seconds. */
  private static final int MOST_SPANS = 200;

  private final Training training;
  private final Path file;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;

  private LiveFile(Training training, Path file) {
    this.training = training;
    this.file = file;
    thread = Thread.ofVirtual().name("heddle-live").start(this::write);
  }

  /** Begins to write that of a worker of the run in a folder. */
  static LiveFile of(Training training, Path run) {
    int worker = training.now().times().worker();
    try {
      Files.createDirectories(run.resolve(FOLDER));
    } catch (IOException e) {
      throw new InputException(run + ": cannot be written (" + e.getMessage() + ")", e);
    }
    return new LiveFile(training, run.resolve(FOLDER).resolve("worker-" + worker + ".json"));
  }

  private void write() {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    try {
      do {
        Files.writeString(temporary, JSON.writeValueAsString(fields(training.now())));
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
      } while (!ended.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS));
    } catch (IOException _) {
      // The disk is full or the folder gone: training says so where it matters.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static Map<String, Object> fields(LiveState now) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("worker", now.times().worker());
    Map<String, Object> memory = new LinkedHashMap<>();
    memory.put("taken", now.takenBytes());
    memory.put("peak", now.peakBytes());
    memory.put("limit", now.limitBytes() == Long.MAX_VALUE ? 0 : now.limitBytes());
    fields.put("memory", memory);
    List<Object> sent = new ArrayList<>();
    for (Traffic.Flow flow : now.traffic().flows()) {
      String kind = flow.kind().name().toLowerCase(Locale.ROOT);
      sent.add(List.of(kind, flow.peer(), flow.bytes(), flow.messages()));
    }
    fields.put("sent", sent);
    fields.put("threads", now.times().threads().stream().map(LiveFile::thread).toList());
    return fields;
  }

  private static Map<String, Object> thread(ThreadTimes times) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("thread", times.thread());
    for (Time time : Time.values()) {
      fields.put(time.label(), 1e-9 * times.nanos(time));
    }
    List<Span> spans = times.spans();
    List<Object> last = new ArrayList<>();
    for (Span span : spans.subList(Math.max(0, spans.size() - MOST_SPANS), spans.size())) {
      last.add(
          List.of(
              span.stage().label(),
              span.time().label(),
              span.epoch(),
              span.item(),
              1e-9 * span.begin(),
              1e-9 * span.end()));
    }
    fields.put("spans", last);
    return fields;
  }

  @Override
  public void close() {
    ended.countDown();
    try {
      thread.join();
      Files.deleteIfExists(file);
      // The last worker of this machine takes the folder along.
      Files.deleteIfExists(file.getParent());
    } catch (IOException _) {
      // Not empty yet: others still write.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
