package dev.heddle.train.settings;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What varies between training systems: how the work is placed, and when and how what one worker
 * needs of another travels. Every knob's value carries the settings that belong to it. What is
 * trained (model, batches, samples, optimizer) is no knob.
 *
 * @param layers how the model is cut by its layers, where it is
 * @param overlap whether rows of a full graph travel while what needs none of them is computed;
 *     results are the same bits
 * @param batchSplit what {@link Split#BATCH} needs to know
 */
public record Knobs(
    Split split,
    LayerSplit layers,
    RowCodec codec,
    boolean overlap,
    Fetch fetch,
    Queues queues,
    Sync sync,
    BatchSplit batchSplit) {
  /** The baseline: rows as they are, waited for, and sums in every step. */
  public static final Knobs DEFAULT =
      new Knobs(
          Split.NONE,
          LayerSplit.DEFAULT,
          RowCodec.FP32,
          false,
          Fetch.DEFAULT,
          Queues.OFF,
          Sync.DEFAULT,
          BatchSplit.DEFAULT);

  public Knobs withSplit(Split value) {
    return new Knobs(value, layers, codec, overlap, fetch, queues, sync, batchSplit);
  }

  /** Cuts the model by its layers. */
  public Knobs withLayers(LayerSplit value) {
    Split kind = value.ways() > 1 ? Split.HYBRID : Split.LAYERS;
    return new Knobs(kind, value, codec, overlap, fetch, queues, sync, batchSplit);
  }

  public Knobs withCodec(RowCodec value) {
    return new Knobs(split, layers, value, overlap, fetch, queues, sync, batchSplit);
  }

  public Knobs withOverlap(boolean value) {
    return new Knobs(split, layers, codec, value, fetch, queues, sync, batchSplit);
  }

  public Knobs withFetch(Fetch value) {
    return new Knobs(split, layers, codec, overlap, value, queues, sync, batchSplit);
  }

  public Knobs withQueues(Queues value) {
    return new Knobs(split, layers, codec, overlap, fetch, value, sync, batchSplit);
  }

  public Knobs withSync(Sync value) {
    return new Knobs(split, layers, codec, overlap, fetch, queues, value, batchSplit);
  }

  public Knobs withBatchSplit(BatchSplit value) {
    return new Knobs(split, layers, codec, overlap, fetch, queues, sync, value);
  }

  /**
   * These knobs with the depth that was chosen; where owners would take over behind the last hop,
   * workers divide seeds.
   *
   * @param hops that the model takes
   */
  public Knobs withChosenDepth(int depth, int hops) {
    Split divided = hops > 0 && depth == hops ? Split.SEEDS : split;
    return withSplit(divided)
        .withBatchSplit(batchSplit.withDepth(batchSplit.depth().chosen(depth)));
  }

  /** Whether so many workers compute every batch together. */
  public boolean together(int workers) {
    return split == Split.BATCH && workers > 1;
  }

  /** These knobs for so many workers: what was left open is what suits how they step. */
  public Knobs among(int workers, boolean batches) {
    if (split.cutsLayers()) {
      return new Knobs(
          split, layers.among(split, workers), codec, overlap, fetch, queues, sync, batchSplit);
    }
    return split == Split.NONE ? withSplit(Split.usual(workers, batches)) : this;
  }

  /**
   * By name, in the order of the knobs, what is in force: text, numbers, and for {@code fetch} a
   * map of its own. Settings of a kind that is not chosen are left out. The names are a contract.
   */
  public Map<String, Object> toMap() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("split", split.toString());
    if (split.cutsLayers()) {
      all.put("stages", layers.stages());
      all.put("ways", layers.ways());
      all.put("chunks", layers.chunks());
      all.put("compensation", layers.compensation().label());
      all.put("refresh", layers.history().refresh());
      all.put("forwardTwice", layers.history().twice());
      all.put("initial", layers.initial().label());
    }
    if (split == Split.BATCH) {
      all.put("depth", batchSplit.depth().isOpen() ? "auto" : batchSplit.depth().layers());
      all.put("presample", batchSplit.presample());
      all.put("groups", batchSplit.groups());
    }
    all.put("codec", codec.kind().label());
    if (codec.kind().chooses()) {
      all.put("codecPeriod", codec.adaptation().period());
      all.put("codecBits", codec.adaptation().bits());
    }
    if (codec.kind() == CodecKind.ADAPTIVE) {
      all.put("codecLambda", codec.adaptation().lambda());
      all.put("codecGroup", codec.adaptation().group());
    }
    all.put("codecDelta", onOff(codec.delta()));
    all.put("preAggregate", onOff(codec.preAggregate()));
    all.put("overlap", onOff(overlap));
    Map<String, Object> fetching = new LinkedHashMap<>();
    fetching.put("macrobatch", fetch.macrobatch());
    fetching.put("memoryBytes", fetch.memory());
    fetching.put("ahead", onOff(fetch.ahead()));
    fetching.put("cache", fetch.caches());
    fetching.put("cacheBytes", fetch.cache().bytes());
    fetching.put("cacheRank", fetch.cache().keeps() ? fetch.cache().by().toString() : "none");
    fetching.put("topology", split.inBatches() ? fetch.topology().toString() : "none");
    fetching.put("inPlace", onOff(fetch.inPlace()));
    all.put("fetch", fetching);
    all.put("queues", queues.toString());
    all.put("sync", sync.kind());
    if (sync instanceof Sync.Racom racom) {
      all.put("staleness", racom.staleness());
      all.put("consistency", racom.consistency().toString());
    }
    all.put("halfSums", onOff(sync.halfSums()));
    all.put("gradientCodec", sync.codec().toString());
    return all;
  }

  /** What of them decides the bits that come out, by name. */
  Map<String, String> identity() {
    Map<String, String> identity = new LinkedHashMap<>();
    if (split.cutsLayers()) {
      identity.put("layers", layers.identity());
    }
    if (split == Split.BATCH) {
      identity.put("split", split.toString());
      identity.put("depth", Integer.toString(batchSplit.depth().layers()));
      if (batchSplit.groups() > 1) {
        identity.put("groups", Integer.toString(batchSplit.groups()));
      }
    }
    if (codec.kind().rounds()) {
      identity.put("codec", codec.kind().label());
    }
    if (codec.kind().chooses()) {
      identity.put("widths", codec.adaptation().toString());
    }
    if (codec.delta()) {
      identity.put("codec-delta", "on");
    }
    if (codec.preAggregate()) {
      identity.put("pre-aggregate", "on");
    }
    if (fetch.cache().rows() == Fetch.Rows.GNS) {
      identity.put("cache", "gns " + fetch.cache().bytes() + " " + fetch.cache().by());
    }
    if (sync.halfSums()) {
      identity.put("half-sums", "on");
    }
    if (sync.codec() == GradientCodec.BITS8) {
      identity.put("gradient-codec", sync.codec().toString());
    }
    if (sync instanceof Sync.Racom racom && racom.staleness() > 1) {
      identity.put("staleness", Integer.toString(racom.staleness()));
    }
    return identity;
  }

  private static String onOff(boolean value) {
    return value ? "on" : "off";
  }
}
