package dev.heddle.cli;

import dev.heddle.comm.Kind;
import dev.heddle.comm.Sent;
import dev.heddle.train.plan.MemoryNeed;
import dev.heddle.train.plan.Purpose;
import dev.heddle.train.plan.StrategyPlan;
import dev.heddle.train.plan.WorkerPlan;
import dev.heddle.train.settings.TrainSettings;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** What a run will take and send: in a line or two before it begins, as a table or as JSON. */
final class PlanReport {
  private final StrategyPlan plan;
  private final TrainSettings settings;
  private final long most;

  /**
   * Of a plan for settings.
   *
   * @param most bytes of memory that a worker may take
   */
  PlanReport(StrategyPlan plan, TrainSettings settings, long most) {
    this.plan = plan;
    this.settings = settings;
    this.most = most;
  }

  /** Memory, and what goes between workers where there are several. */
  List<String> lines() {
    MemoryNeed largest = plan.largest();
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            Locale.ROOT,
            "training needs %s%s, %s of it for %s",
            size(largest.bytes()),
            several() ? " at a worker" : "",
            size(largest.of(largest.most())),
            largest.most().label()));
    if (several()) {
      lines.add(
          String.format(
              Locale.ROOT,
              "workers send %s in %,d messages an epoch (%s)%s",
              size(plan.epoch().bytes()),
              plan.epoch().messages(),
              kinds(plan.epoch()),
              evaluated()
                  ? ", and " + size(plan.evaluation().bytes()) + " for each evaluation"
                  : ""));
    }
    return lines;
  }

  private boolean several() {
    return plan.workers().size() > 1;
  }

  private boolean evaluated() {
    return settings.evaluateEvery() != 0;
  }

  private int every() {
    return settings.evaluateEvery() >= 0 ? settings.evaluateEvery() : plan.seldom();
  }

  /** The kinds of which there is anything, the most first. */
  private static String kinds(Sent sent) {
    return sent.byKind().entrySet().stream()
        .filter(e -> e.getValue().bytes() > 0 && e.getKey() != Kind.CONTROL)
        .sorted((a, b) -> Long.compare(b.getValue().bytes(), a.getValue().bytes()))
        .map(e -> label(e.getKey()) + " " + size(e.getValue().bytes()))
        .collect(Collectors.joining(", "));
  }

  private static String label(Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  /** Bytes in the unit that suits them. */
  private static String size(long bytes) {
    if (bytes < 1000) {
      return bytes + " B";
    }
    return bytes < 1_000_000
        ? String.format(Locale.ROOT, "%.1f kB", bytes / 1e3)
        : String.format(Locale.ROOT, "%,.1f MB", bytes / 1e6);
  }

  /** Prints all of it: a table or, for programs, one object. */
  void print(PrintWriter out, boolean json) {
    if (json) {
      out.println(new JsonMapper().writeValueAsString(Map.of("plan", fields())));
      return;
    }
    memory(out);
    if (several()) {
      out.println();
      sent(out);
    }
    out.println();
    String refusal = StrategyPlan.refusal(plan.largest(), most);
    out.println(
        refusal == null ? "fits into the " + size(most) + " that a worker may take" : refusal);
    plan.assumptions().forEach(out::println);
  }

  private void memory(PrintWriter out) {
    MemoryNeed largest = plan.largest();
    MemoryNeed all =
        plan.workers().stream()
            .map(WorkerPlan::memory)
            .reduce(MemoryNeed.NOTHING, MemoryNeed::plus);
    row(out, "memory for training", several() ? "largest worker" : "", several() ? "all" : "");
    for (Purpose purpose : Purpose.values()) {
      if (all.of(purpose) > 0) {
        memory(out, purpose.label(), largest.of(purpose), all.of(purpose));
      }
    }
    memory(out, "together", largest.bytes(), all.bytes());
  }

  private void memory(PrintWriter out, String name, long largest, long all) {
    row(out, name, size(largest), several() ? size(all) : "");
  }

  private void sent(PrintWriter out) {
    row(out, "sent by all workers", "an epoch", "messages", "an evaluation", "messages");
    for (Kind kind : Kind.values()) {
      Sent.Amount epoch = plan.epoch().of(kind);
      Sent.Amount evaluation = plan.evaluation().of(kind);
      if (epoch.messages() + evaluation.messages() > 0) {
        sent(out, label(kind), epoch, evaluation);
      }
    }
    sent(
        out,
        "together",
        new Sent.Amount(plan.epoch().bytes(), plan.epoch().messages()),
        new Sent.Amount(plan.evaluation().bytes(), plan.evaluation().messages()));
    if (evaluated()) {
      out.println("an evaluation every " + every() + " epochs and after the last");
    }
  }

  private static void sent(
      PrintWriter out, String name, Sent.Amount epoch, Sent.Amount evaluation) {
    row(
        out,
        name,
        size(epoch.bytes()),
        String.format(Locale.ROOT, "%,d", epoch.messages()),
        size(evaluation.bytes()),
        String.format(Locale.ROOT, "%,d", evaluation.messages()));
  }

  private static void row(PrintWriter out, String name, String... cells) {
    StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-24s", name));
    for (String cell : cells) {
      line.append(String.format(Locale.ROOT, "%16s", cell));
    }
    out.println(line.toString().stripTrailing());
  }

  /** What a program wants to know; its names are a contract. */
  private Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("split", plan.split());
    fields.put("memoryLimit", most);
    fields.put("fits", StrategyPlan.refusal(plan.largest(), most) == null);
    fields.put("once", sent(plan.once()));
    fields.put("epoch", sent(plan.epoch()));
    fields.put("evaluation", sent(plan.evaluation()));
    fields.put("evaluateEvery", every());
    fields.put("workers", plan.workers().stream().map(PlanReport::worker).toList());
    fields.put("assumptions", plan.assumptions());
    return fields;
  }

  private static Map<String, Object> worker(WorkerPlan worker) {
    Map<String, Object> memory = new LinkedHashMap<>();
    memory.put("bytes", worker.memory().bytes());
    worker
        .memory()
        .byPurpose()
        .forEach((purpose, bytes) -> memory.put(purpose.name().toLowerCase(Locale.ROOT), bytes));
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("memory", memory);
    fields.put("once", sent(worker.once()));
    fields.put("epoch", sent(worker.epoch()));
    fields.put("evaluation", sent(worker.evaluation()));
    return fields;
  }

  private static Map<String, Object> sent(Sent sent) {
    return Summary.sentFields(sent);
  }
}
