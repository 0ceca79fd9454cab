package dev.heddle.train.layers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Step;
import dev.heddle.train.settings.LayerSplit;
import dev.heddle.train.settings.LayerSplit.Compensation;
import dev.heddle.train.settings.LayerSplit.History;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Training in chunks at one stage: which rows are read, when they are renewed, what comes of it.
 */
class ChunkedTrainingTest {
  private static final int VERTICES = 300;
  private static final int CHUNKS = 4;

  private static Graph graph;

  @BeforeAll
  static void generate() {
    graph = LayerCase.graph(VERTICES, 3);
  }

  @AfterAll
  static void free() {
    graph.close();
  }

  private static ModelSpec.Builder model(ModelKind kind) {
    return ModelSpec.of(kind)
        .layers(3)
        .hidden(8)
        .heads(2)
        .outputHeads(2)
        .propagations(2)
        .dropout(0.4f)
        .inputDropout(0.2f)
        .attentionDropout(0.3f)
        .norm(NormKind.LAYER);
  }

  private static LayerCase layers(ModelKind kind, @Nullable LayerSplit split) {
    var settings = LayerCase.settings(split).clipNorm(1).weightDecay(1e-3f).build();
    return new LayerCase(graph, model(kind).build(), settings);
  }

  /** What training came to. */
  @SuppressWarnings("ArrayRecordComponent") // Compared element by element.
  record Ended(List<Double> losses, List<float[][]> parameters, float[][] outputs) {
    boolean equalsBitByBit(Ended other) {
      return losses.equals(other.losses)
          && Arrays.deepEquals(outputs, other.outputs)
          && Arrays.deepEquals(parameters.toArray(), other.parameters.toArray());
    }
  }

  private static Ended train(LayerCase what, int threads, int epochs) {
    return what.train(
        threads,
        (model, loop) -> {
          List<Double> losses = new ArrayList<>();
          for (int epoch = 1; epoch <= epochs; epoch++) {
            losses.add(loop.epoch(epoch));
          }
          return new Ended(
              losses,
              model.parameters().all().stream().map(Parameter::value).map(Matrix::toArray).toList(),
              loop.predict().toArray());
        });
  }

  /** A single chunk is the whole graph. */
  @ParameterizedTest
  @EnumSource
  void oneChunkTrainsBitForBitLikeTheWholeGraph(ModelKind kind) {
    var one = LayerCase.split(1, Compensation.NONE, History.DEFAULT);
    Ended whole = train(layers(kind, null), 1, 4);
    assertThat(train(layers(kind, one), 1, 4).equalsBitByBit(whole)).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void bitsDoNotDependOnThreads(ModelKind kind) {
    for (Compensation compensation : Compensation.values()) {
      var split = LayerCase.split(CHUNKS, compensation, new History(2, 3));
      Ended one = train(layers(kind, split), 1, 5);
      assertThat(train(layers(kind, split), 3, 5).equalsBitByBit(one)).isTrue();
    }
  }

  /** Scores, and the first history, are of the exact forward. */
  @ParameterizedTest
  @EnumSource
  void outputsAreThoseOfTheWholeGraph(ModelKind kind) {
    float[][] whole = layers(kind, null).train(1, (_, loop) -> loop.predict().toArray());
    var split = LayerCase.split(CHUNKS, Compensation.NONE, History.DEFAULT);
    float[][] chunked = layers(kind, split).train(1, (_, loop) -> loop.predict().toArray());
    for (int v = 0; v < VERTICES; v++) {
      assertThat(chunked[v]).containsExactly(whole[v], within(1e-4f));
    }
  }

  @Test
  void ordersAreDrawnForEachEpochAndAllOccur() {
    var split = LayerCase.split(3, Compensation.NONE, History.DEFAULT);
    layers(ModelKind.GCN, split)
        .look(run -> {
          Set<String> seen = new HashSet<>();
          for (int epoch = 1; epoch <= 200; epoch++) {
            int[] order = run.pipeline().chunks().order(epoch).clone();
            assertThat(order).containsExactlyInAnyOrder(0, 1, 2);
            assertThat(run.pipeline().chunks().order(epoch)).containsExactly(order);
            seen.add(Arrays.toString(order));
          }
          assertThat(seen).hasSize(6);
          return 0;
        });
  }

  /** Every vertex is in one chunk, and no chunk costs much more than another. */
  @Test
  void chunksCostAlike() {
    var split = LayerCase.split(CHUNKS, Compensation.NONE, History.DEFAULT);
    layers(ModelKind.GCN, split)
        .look(run -> {
          ChunkRows rows = run.pipeline().halo().rows();
          Set<Integer> seen = new HashSet<>();
          double mean = (50.0 * VERTICES + graph.arcs()) / CHUNKS;
          for (int c = 0; c < CHUNKS; c++) {
            for (int row = 0; row < rows.part(c).vertices(); row++) {
              assertThat(seen.add(rows.part(c).vertex(row))).isTrue();
            }
            double cost = 50.0 * rows.part(c).vertices() + rows.part(c).in().arcs();
            assertThat(cost).isBetween(0.85 * mean, 1.15 * mean);
          }
          assertThat(seen).hasSize(VERTICES);
          return 0;
        });
  }

  private enum Poison {
    NONE,
    LIVE,
    HISTORY_OF_FIRST,
    HISTORY_OF_LAST
  }

  /** Rows of chunks to come are history's; those of chunks that were are not. */
  @Test
  void readsNeitherRowsToComeNorHistoryOfWhatIsThere() {
    List<float[][]> clean = poisoned(Poison.NONE);
    assertThat(clean.get(2)[0]).doesNotContain(Float.NaN);
    for (Poison harmless : new Poison[] {Poison.LIVE, Poison.HISTORY_OF_FIRST}) {
      boolean same = Arrays.deepEquals(poisoned(harmless).toArray(), clean.toArray());
      assertThat(same).as("%s", harmless).isTrue();
    }
    assertThat(poisoned(Poison.HISTORY_OF_LAST).get(2)[0]).contains(Float.NaN);
  }

  private static List<float[][]> poisoned(Poison poison) {
    var split = LayerCase.split(CHUNKS, Compensation.NONE, History.DEFAULT);
    List<float[][]> gradients = new ArrayList<>();
    layers(ModelKind.GCNII, split)
        .look(run -> {
          int _ = run.steps().begin(1);
          HistoryHalo halo = run.pipeline().halo();
          int[] order = run.pipeline().chunks().order(1);
          for (ValueRows value : halo.values()) {
            switch (poison) {
              case NONE -> {}
              case LIVE -> value.live().fill(Float.NaN);
              case HISTORY_OF_FIRST -> ofChunk(halo, value, order[0]).fill(Float.NaN);
              case HISTORY_OF_LAST -> ofChunk(halo, value, order[CHUNKS - 1]).fill(Float.NaN);
            }
          }
          run.zeroGradients();
          double _ = run.steps().run(run.team(), new Step(5).train(1, 0));
          return gradients.addAll(run.gradients());
        });
    return gradients;
  }

  private static Matrix ofChunk(HistoryHalo halo, ValueRows value, int chunk) {
    return value.history().slice(halo.rows().first(chunk), halo.rows().first(chunk + 1));
  }

  /** History is constant for as many epochs as it should be, and never begins with zeros. */
  @Test
  void historyIsRenewedWhenItIsTime() {
    var split = LayerCase.split(CHUNKS, Compensation.NONE, new History(3, 0));
    layers(ModelKind.GCNII, split)
        .look(run -> {
          HistoryHalo halo = run.pipeline().halo();
          float[][] before = {};
          for (int epoch = 1; epoch <= 9; epoch++) {
            int _ = run.steps().begin(epoch);
            float[][] begun = halo.values().getLast().history().toArray();
            if (epoch == 1) {
              assertThat(Arrays.stream(begun)).noneMatch(row -> sum(row) == 0);
            } else {
              assertThat(Arrays.deepEquals(begun, before)).isTrue();
            }
            double _ = run.steps().run(run.team(), new Step(5).train(epoch, 0));
            before = halo.values().getLast().history().toArray();
            assertThat(Arrays.deepEquals(begun, before)).isEqualTo(epoch % 3 != 0);
          }
          return 0;
        });
  }

  private static double sum(float[] row) {
    double sum = 0;
    for (float x : row) {
      sum += Math.abs(x);
    }
    return sum;
  }

  @Test
  void historyThatIsTooOldIsRefused() {
    EpochProgress progress = new EpochProgress(2, 3);
    progress.renewed(4);
    progress.beginEpoch(7);
    assertThat(progress.isFresh(1)).isFalse();
    progress.goForward(1);
    assertThat(progress.isFresh(1)).isTrue();
    progress.beginEpoch(8);
    assertThatThrownBy(() -> progress.isFresh(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("rows of chunk 1 in epoch 8 would be those of epoch 4");
  }

  /** Going forward again drops what was dropped. */
  @Test
  void dropoutIsReplayed() {
    var split = LayerCase.split(CHUNKS, Compensation.NONE, History.DEFAULT);
    layers(ModelKind.RESGCN, split)
        .look(run -> {
          int _ = run.steps().begin(1);
          ChunkPrograms programs = run.pipeline().programs();
          int[] order = run.pipeline().chunks().order(1);
          Step step = new Step(5).train(1, 0);
          programs.forward(order, step);
          float[][] first = programs.output(2).toArray();
          run.pipeline().halo().progress().beginAgain();
          programs.forward(order, step);
          assertThat(Arrays.deepEquals(programs.output(2).toArray(), first)).isTrue();
          return 0;
        });
  }
}
