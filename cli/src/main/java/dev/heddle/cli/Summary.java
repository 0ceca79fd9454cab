package dev.heddle.cli;

import dev.heddle.comm.Sent;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.nn.ModelSpec;
import dev.heddle.train.Training;
import dev.heddle.train.batch.BatchWork;
import dev.heddle.train.batch.FetchReport;
import dev.heddle.train.batch.QueueReport;
import dev.heddle.train.halo.HaloReport;
import dev.heddle.train.layers.LayerDivision;
import dev.heddle.train.loop.ConsistencyReport;
import dev.heddle.train.loop.SyncReport;
import dev.heddle.train.pipeline.StageSeconds;
import dev.heddle.train.pipeline.ThreadTimes;
import dev.heddle.train.pipeline.Time;
import dev.heddle.train.pipeline.Utilisation;
import dev.heddle.train.pipeline.WorkerTimes;
import dev.heddle.train.plan.DepthCandidate;
import dev.heddle.train.plan.DepthChoice;
import dev.heddle.train.run.EpochReport;
import dev.heddle.train.run.TrainResult;
import dev.heddle.train.run.Version;
import dev.heddle.train.settings.BatchSettings;
import dev.heddle.train.settings.Depth;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.Preset;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.TrainSettings;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a training run came to, as one JSON object for programs; its names are a contract. What only
 * several workers do is there with zeros where there is one. Times of stages are those of the first
 * worker; {@code workerSeconds} has them for each.
 */
final class Summary {
  private Summary() {}

  static String json(
      StartedRun run, Training training, TrainSettings settings, TrainResult result) {
    Map<String, Object> fields = new LinkedHashMap<>();
    Graph graph = run.graph();
    Features features = graph.features();
    fields.put("heddle", Version.CURRENT);
    fields.put(
        "graph",
        ordered(
            "nodes", graph.vertices(),
            "edges", graph.arcs(),
            "features", features == null ? 0 : features.width(),
            "classes", graph.classes()));
    ModelSpec spec = training.model().spec();
    fields.put(
        "model",
        ordered(
            "kind", spec.kind().label(),
            "layers", spec.layers(),
            "hidden", spec.hidden(),
            "parameters", training.model().parameters().count()));
    int workers = training.workers();
    fields.put("knobs", knobs(training, settings));
    fields.put("stages", stages(training.division()));
    fields.put("engine", "local");
    fields.put("workers", workers);
    ChosenPartition partition = run.partition();
    fields.put("partition", partition == null ? null : partition.fields());
    fields.put("threads", settings.threads());
    fields.put("seed", settings.seed());
    fields.put("epochs", result.epochs().size());
    List<Double> seconds = result.epochs().stream().map(EpochReport::seconds).sorted().toList();
    fields.put(
        "epochSeconds",
        ordered(
            "median", result.medianEpochSeconds(),
            "p95", seconds.get(Math.min(seconds.size() - 1, seconds.size() * 95 / 100))));
    fields.put("trainSeconds", seconds.stream().mapToDouble(Double::doubleValue).sum());
    fields.put("loss", result.loss());
    fields.put("metric", training.metric().name());
    fields.put("bestEpoch", result.bestEpoch());
    fields.put("train", finite(result.train()));
    fields.put("valid", finite(result.valid()));
    fields.put("test", finite(result.test()));
    fields.put("sent", sent(training.sent(), result.epochs().size()));
    fields.put("exchange", exchange(training.halo()));
    fields.put("fetched", fetched(training.fetched()));
    fields.put("queues", queues(training.queues()));
    fields.put("sync", sync(training.sync()));
    fields.put("batches", work(training.work()));
    fields.put("depth", depth(training));
    fields.put("stageSeconds", stages(training.times().getFirst()));
    fields.put("workerSeconds", training.times().stream().map(Summary::workerSeconds).toList());
    fields.put(
        "peakMemoryBytes",
        ordered(
            "heap", peakHeap(),
            "native", run.budget().peakBytes(),
            "rss", SystemMemory.peakBytes()));
    return new JsonMapper().writeValueAsString(fields);
  }

  /** How training is placed and timed, and what batches look like where there are any. */
  private static Map<String, Object> knobs(Training training, TrainSettings settings) {
    BatchSettings batches = settings.batches();
    Knobs inForce = training.knobs();
    Knobs asked = settings.knobs().among(training.workers(), batches != null);
    Preset preset = Preset.of(asked, batches != null);
    Map<String, Object> knobs =
        ordered(
            "preset",
            preset == null ? Preset.CUSTOM : preset.toString(),
            "changed",
            preset == null ? List.of() : preset.changed(asked, inForce, settings.epochs()));
    knobs.putAll(inForce.toMap());
    if (batches != null) {
      knobs.put("batch", batches.size());
      knobs.put("fanout", batches.sampling().fanouts());
      knobs.put("sampler", batches.sampling().kind().toString());
      knobs.put("kappa", batches.sampling().kappa());
    }
    return knobs;
  }

  private static Map<String, Object> sent(Sent sent, int epochs) {
    return ordered(
        "bytes",
        sent.bytes(),
        "messages",
        sent.messages(),
        "bytesPerEpoch",
        sent.bytes() / Math.max(1, epochs),
        "byKind",
        byKind(sent));
  }

  /** What was or will be sent, by kind. */
  static Map<String, Object> sentFields(Sent sent) {
    return ordered("bytes", sent.bytes(), "messages", sent.messages(), "byKind", byKind(sent));
  }

  private static Map<String, Object> byKind(Sent sent) {
    Map<String, Object> byKind = new LinkedHashMap<>();
    sent.byKind()
        .forEach((kind, amount) ->
            byKind.put(
                kind.name().toLowerCase(Locale.ROOT).replace("_request", "Request"),
                ordered("bytes", amount.bytes(), "messages", amount.messages())));
    return byKind;
  }

  /** What batches got from other workers, all workers together; memory is that of the first. */
  private static Map<String, Object> fetched(FetchReport report) {
    return ordered(
        "rows",
        report.rows().fetched(),
        "rowsWanted",
        report.rows().wanted(),
        "deduplication",
        report.deduplication(),
        "rowsCached",
        report.rows().cached(),
        "rowsKept",
        report.rows().kept(),
        "rowsRead",
        report.rows().read(),
        "predictedBytes",
        report.plan().predictedBytes(),
        "loadedBytes",
        report.loadedBytes());
  }

  /** What there was to do for all batches, by all workers together. */
  private static Map<String, Object> work(BatchWork work) {
    return ordered(
        "arcs", work.arcs(),
        "rowsLoaded", work.loaded(),
        "rowsComputed", work.computed(),
        "rowsShuffled", work.shuffled());
  }

  /** How the depth at which owners take over came about; null where workers share no batch. */
  private static @Nullable Map<String, Object> depth(Training training) {
    Depth depth = training.knobs().batchSplit().depth();
    if (training.knobs().split() != Split.BATCH && !depth.auto()) {
      return null;
    }
    DepthChoice choice = training.depthChoice();
    return ordered(
        "asked",
        depth.auto() ? "auto" : "fixed",
        "layers",
        depth.layers(),
        "predicted",
        choice == null
            ? List.of()
            : choice.candidates().stream().map(c -> candidate(choice, c)).toList());
  }

  private static Map<String, Object> candidate(DepthChoice choice, DepthCandidate candidate) {
    Map<String, Object> fields = ordered("layers", candidate.depth());
    fields.put("stepSeconds", choice.seconds(candidate.depth()).total());
    fields.put("batches", candidate.batches());
    fields.putAll(work(candidate.work()));
    return fields;
  }

  /** How rows travelled, in seconds of all workers together, and at what widths. */
  private static Map<String, Object> exchange(HaloReport halo) {
    List<Map<String, Object>> widths =
        halo.widths().stream()
            .map(w ->
                ordered(
                    "epoch", w.epoch(),
                    "value", w.value(),
                    "direction", w.back() ? "back" : "there",
                    "bits2", w.bits2(),
                    "bits4", w.bits4(),
                    "bits8", w.bits8()))
            .toList();
    return ordered(
        "travelSeconds",
        1e-9 * halo.times().travelNanos(),
        "exposedSeconds",
        1e-9 * halo.times().exposedNanos(),
        "hiddenFraction",
        halo.times().hiddenFraction(),
        "codingSeconds",
        1e-9 * halo.times().codingNanos(),
        "assignSeconds",
        halo.assignSeconds(),
        "epoch",
        ordered(
            "travelSeconds", halo.typical().travelSeconds(),
            "exposedSeconds", halo.typical().exposedSeconds(),
            "codingSeconds", halo.typical().codingSeconds(),
            "sumSeconds", halo.typical().sumSeconds(),
            "bytes", Math.round(halo.typical().bytes())),
        "rows",
        ordered("oneByOne", halo.rows().oneByOne(), "sent", halo.rows().sent()),
        "roundedBytes",
        halo.roundedBytes(),
        "widths",
        widths);
  }

  /** Which sections each stage of layers has, and by what costs; null where the model is whole. */
  private static @Nullable Map<String, Object> stages(@Nullable LayerDivision division) {
    return division == null
        ? null
        : ordered(
            "cut",
            division.cut(),
            "costs",
            division.costs(),
            "initial",
            division.stage().makesInitial() ? "made" : "sent");
  }

  /** How long the queues between the stages of the first worker were, in rounds of batches. */
  private static Map<String, Object> queues(QueueReport report) {
    return ordered(
        "length", report.length(),
        "longest", report.longest(),
        "changes", report.changes(),
        "sampledHighWater", report.sampled(),
        "fetchedHighWater", report.fetched());
  }

  /** How far apart the models of workers were. */
  private static Map<String, Object> sync(SyncReport report) {
    ConsistencyReport compared = report.consistency();
    return ordered(
        "staleness",
        report.staleness(),
        "consistency",
        ordered(
            "checks", compared.checks(),
            "repairs", compared.repairs(),
            "period", compared.period(),
            "shortestPeriod", compared.shortest(),
            "longestPeriod", compared.longest(),
            "divergence", compared.divergence()));
  }

  private static Map<String, Object> stages(WorkerTimes times) {
    StageSeconds stages = StageSeconds.of(times);
    return ordered(
        "sample", stages.sample(),
        "fetch", stages.fetch(),
        "compute", stages.compute(),
        "exchange", stages.exchange(),
        "update", stages.update(),
        "idle", stages.idle());
  }

  /** What one worker did: its stages, and the kinds of time of each of its threads. */
  private static Map<String, Object> workerSeconds(WorkerTimes times) {
    Map<String, Object> fields = ordered("worker", times.worker());
    fields.putAll(stages(times));
    fields.put("utilisation", Utilisation.of(times));
    fields.put("threads", times.threads().stream().map(Summary::threadSeconds).toList());
    return fields;
  }

  private static Map<String, Object> threadSeconds(ThreadTimes thread) {
    Map<String, Object> fields = ordered("thread", thread.thread());
    for (Time time : Time.values()) {
      fields.put(time.label(), 1e-9 * thread.nanos(time));
    }
    return fields;
  }

  private static long peakHeap() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .map(MemoryPoolMXBean::getPeakUsage)
        .mapToLong(usage -> usage == null ? 0 : usage.getUsed())
        .sum();
  }

  /** JSON has no NaN: a score of an empty part is left null. */
  private static @Nullable Double finite(double value) {
    return Double.isNaN(value) ? null : value;
  }

  private static Map<String, Object> ordered(Object... pairs) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put((String) pairs[i], pairs[i + 1]);
    }
    return map;
  }
}
