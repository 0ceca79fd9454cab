package dev.heddle.train.settings;

import java.util.List;

/**
 * A model cut by its layers (GNNPipe, arXiv 2308.10087): each stage of workers has consecutive
 * layers, and the vertices pass through the stages in chunks.
 *
 * @param stages into which the layers are cut; 0 while it is open how many
 * @param ways workers of a stage, which share the graph; 1 where each has all of it
 * @param chunks of vertices at each worker; 0 for four times the stages
 * @param compensation what is done for gradients that chunks never get
 * @param history where rows of chunks to come are taken from
 * @param initial how later layers get what they need of the first besides rows
 * @param costs of the model's sections, by which it is cut into stages; none to find them out.
 *     Where a model is cut changes no bit, but where stages make {@code initial} anew
 */
public record LayerSplit(
    int stages,
    int ways,
    int chunks,
    Compensation compensation,
    History history,
    Initial initial,
    List<Long> costs) {
  /** As many stages as workers, and what GNNPipe's study has found best. */
  public static final LayerSplit DEFAULT =
      new LayerSplit(
          0, 1, 0, Compensation.NONE, History.DEFAULT, Initial.AUTO, /* costs= */ List.of());

  /** The default number of chunks for each stage. */
  private static final int CHUNKS_PER_STAGE = 4;

  public LayerSplit {
    requireAtLeast("stages", stages, 0);
    requireAtLeast("ways", ways, 1);
    requireAtLeast("chunks", chunks, 0);
    costs = List.copyOf(costs);
    if (costs.stream().anyMatch(cost -> cost <= 0)) {
      throw new IllegalArgumentException("every section of a model costs something, not " + costs);
    }
  }

  public LayerSplit(int stages, int ways, int chunks, Compensation compensation, History history) {
    this(stages, ways, chunks, compensation, history, Initial.AUTO, List.of());
  }

  /**
   * What so many workers make of it. A hybrid that does not say how many stages has two; one that
   * does not fit is left as it is, to be refused ({@link Compatibility}).
   */
  LayerSplit among(Split split, int workers) {
    int most = split == Split.LAYERS ? workers : 2;
    int cut = stages == 0 ? most : stages;
    int each = Math.max(1, workers / cut);
    int pieces = chunks == 0 ? CHUNKS_PER_STAGE * cut : chunks;
    return new LayerSplit(cut, each, pieces, compensation, history, initial, costs);
  }

  public LayerSplit withStages(int value) {
    return new LayerSplit(value, ways, chunks, compensation, history, initial, costs);
  }

  public LayerSplit withInitial(Initial value) {
    return new LayerSplit(stages, ways, chunks, compensation, history, value, costs);
  }

  public LayerSplit withCosts(List<Long> value) {
    return new LayerSplit(stages, ways, chunks, compensation, history, initial, value);
  }

  /** How later layers get what they need of the first besides rows (GCNII's h⁰). */
  public enum Initial {
    /** As is cheaper by their sizes. */
    AUTO("auto"),
    /** With the rows: as many columns more cross from stage to stage. */
    SENT("sent"),
    /** Each stage makes it anew from the features, and stages sum gradients of what makes it. */
    MADE("made");

    private final String label;

    Initial(String label) {
      this.label = label;
    }

    /** The name users write. */
    public String label() {
      return label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  /**
   * What is done for the gradients that a chunk never gets: those by way of chunks that go back
   * after it.
   */
  public enum Compensation {
    /** Nothing: the gradient is exact where history counts as constant. */
    NONE("none"),
    /** What comes from other chunks counts twice, as GNNPipe has it. */
    DOUBLE("double"),
    /**
     * What chunks that have not gone back yet gave in the epoch before counts: for small learning
     * rates. It takes as many more rows of memory as all chunks have in their halos.
     */
    CARRIED("carried");

    private final String label;

    Compensation(String label) {
      this.label = label;
    }

    /** The name users write. */
    public String label() {
      return label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  /**
   * Rows that stand for those of chunks to come.
   *
   * @param refresh epochs from one renewal to the next, in between which they stay as they are
   * @param twice epochs from one to the next that go forward twice, the second time with the rows
   *     of the first; 0 for none
   */
  public record History(int refresh, int twice) {
    public static final History DEFAULT = new History(23, 0);

    public History {
      if (refresh < 1 || twice < 0) {
        throw new IllegalArgumentException(
            "history is renewed every epoch or more seldom, and forward is gone twice never or"
                + " sometimes: not every "
                + refresh
                + " and "
                + twice);
      }
    }

    /** Whether they are renewed by an epoch, which is counted from 1. */
    public boolean renews(int epoch) {
      return epoch % refresh == 0;
    }

    /** Whether an epoch goes forward twice. */
    public boolean goesTwice(int epoch) {
      return twice > 0 && epoch % twice == 0;
    }
  }

  /** Workers of all stages. */
  public int workers() {
    return stages * ways;
  }

  /** The first of the workers of the last stage, who have the outputs. */
  public int firstWithOutputs() {
    return workers() - ways;
  }

  /** What decides the bits that come out, but for the number of stages. */
  public String identity() {
    return ways
        + " ways, "
        + chunks
        + " chunks, compensation "
        + compensation
        + ", refresh "
        + history.refresh
        + ", twice "
        + history.twice;
  }

  private static void requireAtLeast(String name, int value, int least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }
}
