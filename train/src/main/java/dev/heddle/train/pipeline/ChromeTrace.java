package dev.heddle.train.pipeline;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * Timelines as Chrome trace events (JSON), which Perfetto and chrome://tracing open: a process for
 * each worker, a thread for each of its threads, a complete event for each span.
 */
public final class ChromeTrace {
  private final Appendable out;
  private boolean some;

  private ChromeTrace(Appendable out) {
    this.out = out;
  }

  /** Writes what workers did, each in microseconds from the origin of its own timeline. */
  public static void write(List<WorkerTimes> workers, Appendable out) throws IOException {
    new ChromeTrace(out).write(workers);
  }

  private void write(List<WorkerTimes> workers) throws IOException {
    long overflowed = 0;
    out.append("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (WorkerTimes worker : workers) {
      name("process_name", worker.worker(), 0, "worker " + worker.worker());
      for (int t = 0; t < worker.threads().size(); t++) {
        ThreadTimes thread = worker.threads().get(t);
        name("thread_name", worker.worker(), t, thread.thread());
        for (Span span : thread.spans()) {
          event(span, worker.worker(), t);
        }
        overflowed += thread.overflowed();
      }
    }
    out.append("\n],\"otherData\":{\"overflowed\":").append(Long.toString(overflowed));
    out.append("}}\n");
  }

  private void name(String what, int process, int thread, String name) throws IOException {
    next();
    out.append(
        String.format(
            Locale.ROOT,
            "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}",
            what,
            process,
            thread,
            name));
  }

  private void event(Span span, int process, int thread) throws IOException {
    next();
    String stage = span.stage().label();
    String name =
        switch (span.time()) {
          case BUSY -> stage;
          case BLOCKED, STARVED, IDLE ->
              span.stage() == Stage.QUEUE ? span.time().label() : stage + ": waits";
        };
    out.append("{\"ph\":\"X\",\"name\":\"").append(name);
    out.append("\",\"cat\":\"").append(span.time().label());
    out.append("\",\"pid\":").append(Integer.toString(process));
    out.append(",\"tid\":").append(Integer.toString(thread)).append(",\"ts\":");
    micros(span.begin());
    out.append(",\"dur\":");
    micros(span.nanos());
    out.append(",\"args\":{\"epoch\":").append(Integer.toString(span.epoch()));
    out.append(",\"item\":").append(Integer.toString(span.item())).append(",\"waited\":");
    micros(span.waited());
    out.append("}}");
  }

  /** Microseconds to the nanosecond, so that spans within spans stay so. */
  private void micros(long nanos) throws IOException {
    long size = Math.abs(nanos);
    out.append(nanos < 0 ? "-" : "").append(Long.toString(size / 1000)).append('.');
    long rest = size % 1000;
    out.append(rest < 10 ? "00" : rest < 100 ? "0" : "").append(Long.toString(rest));
  }

  private void next() throws IOException {
    out.append(some ? ",\n" : "\n");
    some = true;
  }
}
