package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OptimizerTest {
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  // The expected values of the next five were computed by torch.optim 2.13.

  @Test
  void adamMovesAsTorchDoes() {
    assertMoves(
        list -> Adam.over(memory, list, AdamSettings.DEFAULT.withWeightDecay(0.05)),
        new double[] {0.451084346, -1.2000047, 1.95550334, 0.0514917038, -0.266542852});
  }

  @Test
  void adamWMovesAsTorchDoes() {
    assertMoves(
        list -> AdamW.over(memory, list, AdamSettings.DEFAULT.withWeightDecay(0.05)),
        new double[] {0.450291753, -1.19692802, 1.95103681, 0.0514917038, -0.266542852});
  }

  @Test
  void sgdWithMomentumMovesAsTorchDoes() {
    assertMoves(
        list -> Sgd.over(memory, list, SgdSettings.momentum(0.9).withWeightDecay(0.05)),
        new double[] {0.465040058, -1.18928027, 1.7654314, 0.093659386, -0.114410013});
  }

  @Test
  void sgdWithNesterovMovesAsTorchDoes() {
    assertMoves(
        list -> Sgd.over(memory, list, new SgdSettings(0.9, true, 0.05)),
        new double[] {0.452328503, -1.17232096, 1.7158258, 0.0912934318, -0.0329690315});
  }

  @Test
  void plainSgdMovesAsTorchDoes() {
    assertMoves(
        list -> Sgd.over(memory, list, SgdSettings.momentum(0).withWeightDecay(0.05)),
        new double[] {0.483761281, -1.22689807, 1.92660105, 0.0969999954, -0.200000018});
  }

  /** Five steps of two parameters, of which the second is spared from decay. */
  private void assertMoves(Function<List<Parameter>, Optimizer> make, double[] expected) {
    Parameter p = Parameter.allocate(memory, "p", 1, 3);
    Parameter q = Parameter.allocate(memory, "q", 2, 1);
    p.value().setRow(0, new float[] {0.5f, -1.25f, 2});
    q.value().setRow(0, new float[] {0.1f});
    q.value().setRow(1, new float[] {-0.3f});
    q.weightDecay(0);
    Optimizer optimizer = make.apply(List.of(p, q));
    for (int t = 1; t <= 5; t++) {
      p.grad().setRow(0, new float[] {0.1f * t, -0.4f, 3f / t});
      q.grad().setRow(0, new float[] {0.02f * t});
      q.grad().setRow(1, new float[] {1 - t});
      optimizer.step(team, 0.01f);
    }
    double[] actual = {
      p.value().get(0, 0),
      p.value().get(0, 1),
      p.value().get(0, 2),
      q.value().get(0, 0),
      q.value().get(1, 0)
    };
    assertThat(actual).containsExactly(expected, within(3e-7));
    assertThat(optimizer.state().steps()).isEqualTo(5);
  }

  @Test
  void restoredOptimizersGoOnAsIfNeverStopped() {
    List<Function<List<Parameter>, Optimizer>> kinds =
        List.of(
            list -> Adam.over(memory, list, AdamSettings.DEFAULT),
            list -> AdamW.over(memory, list, AdamSettings.DEFAULT.withWeightDecay(0.01)),
            list -> Sgd.over(memory, list, SgdSettings.momentum(0.9)));
    SplittableRandom random = TestSeed.random(this);
    for (Function<List<Parameter>, Optimizer> kind : kinds) {
      Parameter a = Parameter.allocate(memory, "w", 7, 19);
      Parameter b = Parameter.allocate(memory, "w", 7, 19);
      a.initialise(Init.GLOROT_UNIFORM, 3, 0);
      Optimizer first = kind.apply(List.of(a));
      Optimizer second = kind.apply(List.of(b));
      for (int step = 0; step < 3; step++) {
        randomise(random, a.grad());
        first.step(team, 0.1f);
      }
      copy(a.value(), b.value());
      second.state().restore(first.state().steps(), first.state().matrices());
      for (int step = 0; step < 3; step++) {
        randomise(random, a.grad());
        copy(a.grad(), b.grad());
        first.step(team, 0.1f);
        second.step(team, 0.1f);
      }
      assertThat(b.value().toArray()).isDeepEqualTo(a.value().toArray());
    }
  }

  @Test
  void stateIsNamedByParameterAndRefusesWhatDoesNotFit() {
    Parameter w = Parameter.allocate(memory, "layer.weight", 2, 3);
    OptimizerState state = Adam.over(memory, List.of(w), AdamSettings.DEFAULT).state();
    assertThat(state.matrices()).containsOnlyKeys("layer.weight.mean", "layer.weight.square");
    assertThatThrownBy(() -> state.restore(1, Map.of("layer.weight.mean", w.value())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("remembers [layer.weight.mean], not");
    Matrix other = Matrix.allocate(memory, 3, 2);
    assertThatThrownBy(() ->
            state.restore(1, Map.of("layer.weight.mean", w.value(), "layer.weight.square", other)))
        .hasMessage("saved layer.weight.square is Matrix[3 x 2], not Matrix[2 x 3]");
    assertThat(state.steps()).isZero();
    assertThatThrownBy(() -> Sgd.over(memory, List.of(w, w), SgdSettings.momentum(0)))
        .hasMessage("two parameters are named layer.weight");
  }

  @Test
  void settingsOutOfRangeAreRefused() {
    assertThatThrownBy(() -> new AdamSettings(1, 0.999, 1e-8, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> AdamSettings.DEFAULT.withWeightDecay(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SgdSettings.momentum(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  private static void randomise(SplittableRandom random, Matrix m) {
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        m.set(r, c, (float) random.nextDouble(-1, 1));
      }
    }
  }

  private static void copy(Matrix from, Matrix to) {
    float[][] values = from.toArray();
    for (int r = 0; r < values.length; r++) {
      to.setRow(r, values[r]);
    }
  }
}
