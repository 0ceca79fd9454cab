package dev.heddle.train.layers;

import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Step;
import dev.heddle.train.halo.EpochExchanges;
import dev.heddle.train.loop.StepSource;
import dev.heddle.train.loop.TrainStep;
import dev.heddle.train.settings.LayerSplit;

/**
 * Epochs of GNNPipe (arXiv 2308.10087): all chunks go forward, then back, and parameters move once.
 * They are the same in all of an epoch; only rows may be older.
 */
final class LayerSteps implements StepSource, TrainStep {
  private final ChunkPrograms programs;
  private final Chunks chunks;
  private final HistoryHalo halo;
  private final LayerSplit.History history;
  private final EpochExchanges exchanges;
  private final Step exact;
  private int epoch;

  LayerSteps(
      ChunkPrograms programs,
      Chunks chunks,
      HistoryHalo halo,
      LayerSplit.History history,
      EpochExchanges exchanges,
      long seed) {
    this.exchanges = exchanges;
    this.programs = programs;
    this.chunks = chunks;
    this.halo = halo;
    this.history = history;
    exact = new Step(seed).evaluate();
  }

  @Override
  public int begin(int next) {
    epoch = next;
    if (!halo.progress().hasHistory()) {
      // Rows as parameters make them now, and no zeros: these would count as neighbours.
      programs.exactForward(exact);
      halo.renewHistory(epoch - 1);
    } else if (!programs.constantsAreThere()) {
      // A run that goes on has history, but not yet what never changes.
      programs.exactForward(exact);
    }
    halo.progress().beginEpoch(epoch);
    exchanges.begin();
    return 1;
  }

  @Override
  public TrainStep next() {
    return this;
  }

  @Override
  public double run(ThreadTeam team, Step at) {
    int[] order = chunks.order(epoch);
    programs.forward(order, at);
    if (history.goesTwice(epoch)) {
      halo.renewHistory(epoch);
      halo.progress().beginAgain();
      programs.forward(order, at);
    }
    if (history.renews(epoch)) {
      halo.renewHistory(epoch);
    }
    return programs.backward(order, at);
  }

  @Override
  public void end() {
    exchanges.end();
  }

  @Override
  public double weight() {
    return 1;
  }

  /** Rows of a worker without training vertices are needed by others. */
  @Override
  public boolean idle() {
    return false;
  }

  @Override
  public void close() {}
}
