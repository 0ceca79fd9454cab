package dev.heddle.train.settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Training systems by name: knobs as their papers set them. */
public enum Preset {
  /** Full-graph training by parts of the graph; rows travel as they are and are waited for. */
  VANILLA_FULL,
  /** Batches whose seeds workers divide, fetched one after another. */
  VANILLA_MINI,
  /** Rows at 2 to 8 bits, chosen anew, and hidden by computing (AdaQP, Wan et al., MLSys 2023). */
  ADAQP,
  /** Many batches sampled and fetched together, ahead (BatchGNN, arXiv 2306.13814). */
  BATCHGNN,
  /** Layers as a pipeline (GNNPipe, arXiv 2308.10087). */
  GNNPIPE,
  /** Workers compute every batch together (GSplit, Polisetty et al., arXiv 2303.13775). */
  GSPLIT,
  /** Queues between stages, and models that are a few steps apart (MQ-GNN, arXiv 2601.04707). */
  MQGNN;

  /** AdaQP chooses widths five times in a run. */
  private static final int CHOICES = 5;

  /** The name that users read where no preset fits. */
  public static final String CUSTOM = "custom";

  /** Whether it is of use to one worker too. */
  public boolean forOne() {
    return this == VANILLA_FULL || this == VANILLA_MINI || this == MQGNN;
  }

  /**
   * What it sets.
   *
   * @param epochs that the run takes
   */
  public Knobs knobs(int epochs) {
    return switch (this) {
      case VANILLA_FULL -> Knobs.DEFAULT.withSplit(Split.GRAPH);
      case VANILLA_MINI ->
          Knobs.DEFAULT.withSplit(Split.SEEDS).withFetch(Fetch.DEFAULT.withMacrobatch(1));
      case ADAQP -> {
        int period = Math.max(1, epochs / CHOICES);
        RowCodec adaptive =
            RowCodec.of(CodecKind.ADAPTIVE).withAdaptation(new Adaptation(period, 0.5, 100));
        yield Knobs.DEFAULT.withSplit(Split.GRAPH).withCodec(adaptive).withOverlap(true);
      }
      case BATCHGNN ->
          Knobs.DEFAULT.withSplit(Split.SEEDS).withFetch(Fetch.DEFAULT.withAhead(true));
      case GNNPIPE -> Knobs.DEFAULT.withSplit(Split.LAYERS);
      case GSPLIT ->
          Knobs.DEFAULT.withSplit(Split.BATCH).withFetch(Fetch.DEFAULT.withMacrobatch(1));
      case MQGNN ->
          Knobs.DEFAULT
              .withSplit(Split.SEEDS)
              .withFetch(Fetch.DEFAULT.withMacrobatch(1))
              .withQueues(Queues.ADAPTIVE)
              .withSync(Sync.Racom.DEFAULT.withConsistency(Consistency.ADAPTIVE));
    };
  }

  /**
   * What it sets for so many workers: one divides nothing, and has nobody to compare its model
   * with.
   *
   * @param epochs that the run takes
   */
  public Knobs knobs(int epochs, int workers) {
    Knobs all = knobs(epochs);
    if (workers > 1) {
      return all;
    }
    Knobs alone = all.withSplit(Split.NONE);
    return all.sync() instanceof Sync.Racom racom
        ? alone.withSync(racom.withConsistency(Consistency.OFF))
        : alone;
  }

  /**
   * The preset whose kinds of knobs these are, whatever their settings; none if they are a mixture.
   * One worker, among whom nothing travels, is the baseline of its family, but with queues between
   * its stages.
   */
  public static @Nullable Preset of(Knobs knobs, boolean batches) {
    if (knobs.split() == Split.NONE) {
      boolean queues = knobs.queues().on() && knobs.sync() instanceof Sync.Racom;
      return queues ? MQGNN : batches ? VANILLA_MINI : VANILLA_FULL;
    }
    for (Preset preset : values()) {
      if (kinds(preset.knobs(1)).equals(kinds(knobs))) {
        return preset;
      }
    }
    return null;
  }

  private static List<Object> kinds(Knobs knobs) {
    boolean together = knobs.split().inBatches() && knobs.fetch().together();
    return List.of(
        knobs.split(),
        knobs.codec().kind(),
        knobs.overlap(),
        together,
        knobs.queues().on(),
        knobs.sync().kind());
  }

  /**
   * The names of what differs from this preset's settings, {@code fetch.cacheBytes} for one within
   * {@code fetch}.
   *
   * @param asked knobs of a run
   * @param settled what the run made of them: a choice that comes to what the preset says does not
   *     differ
   */
  public List<String> changed(Knobs asked, Knobs settled, int epochs) {
    Knobs usuals =
        asked.split() == Split.NONE
            ? knobs(epochs, /* workers= */ 1)
            : knobs(epochs).withSplit(asked.split());
    // How many stages and chunks are usual depends on how many workers there are.
    int workers = asked.layers().workers();
    Knobs known = workers == 0 ? usuals : usuals.among(workers, asked.split().inBatches());
    Map<String, Object> here = flat(known.toMap());
    Map<String, Object> wished = flat(asked.toMap());
    Map<String, Object> came = flat(settled.toMap());
    List<String> changed = new ArrayList<>();
    wished.forEach((name, value) -> {
      Object usual = here.get(name);
      if (!Objects.equals(usual, value) && !Objects.equals(usual, came.get(name))) {
        changed.add(name);
      }
    });
    return changed;
  }

  private static Map<String, Object> flat(Map<?, ?> map) {
    Map<String, Object> flat = new LinkedHashMap<>();
    map.forEach((name, value) -> {
      if (value instanceof Map<?, ?> inner) {
        flat(inner).forEach((key, each) -> flat.put(name + "." + key, each));
      } else {
        flat.put((String) name, value);
      }
    });
    return flat;
  }

  /** The name users write. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
