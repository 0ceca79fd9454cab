package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Five steps of each optimizer, and the clipping of gradients, against torch. */
class OptimizerFixtureTest {
  private static final float RATE = 0.01f;
  private static final int STEPS = 5;

  private final ThreadTeam team = ThreadTeam.of(2);

  @AfterEach
  void free() {
    team.close();
  }

  @Test
  void adamMovesAsTorchDoes() {
    AdamSettings settings = AdamSettings.DEFAULT.withWeightDecay(5e-4);
    assertMoves("adam", (memory, list) -> Adam.over(memory, list, settings));
  }

  @Test
  void adamWMovesAsTorchDoes() {
    AdamSettings settings = AdamSettings.DEFAULT.withWeightDecay(0.01);
    assertMoves("adamw", (memory, list) -> AdamW.over(memory, list, settings));
  }

  @Test
  void sgdMovesAsTorchDoes() {
    SgdSettings settings = SgdSettings.momentum(0.9).withWeightDecay(1e-3);
    assertMoves("sgd", (memory, list) -> Sgd.over(memory, list, settings));
  }

  private void assertMoves(String name, BiFunction<Memory, List<Parameter>, Optimizer> make) {
    try (Fixture f = Fixture.open(name)) {
      Parameter p = parameter(f, "p", "param_0");
      f.matrixInto("param_0", p.value());
      Optimizer optimizer = make.apply(f.memory(), List.of(p));
      for (int step = 1; step <= STEPS; step++) {
        f.matrixInto("grad_" + step, p.grad());
        optimizer.step(team, RATE);
        f.assertMatches("param_" + step, p.value(), p.value().rows());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"clip_grad_norm", "clip_grad_norm_below"})
  void gradientsAreClippedAsTorchDoes(String name) {
    try (Fixture f = Fixture.open(name)) {
      Parameter a = parameter(f, "a", "grad_a");
      Parameter b = parameter(f, "b", "grad_b");
      f.matrixInto("grad_a", a.grad());
      f.matrixInto("grad_b", b.grad());
      GradientClip.ByNorm clip = GradientClip.byNorm(f.memory(), List.of(a, b), 1);
      clip.apply(team);
      assertThat(clip.norm()).isCloseTo(f.number("norm"), within(1e-6 * f.number("norm")));
      f.assertMatches("clipped_a", a.grad(), a.grad().rows());
      f.assertMatches("clipped_b", b.grad(), b.grad().rows());
    }
  }

  /** A parameter of the shape of a tensor. */
  private static Parameter parameter(Fixture f, String name, String tensor) {
    Matrix shape = f.matrix(tensor);
    return Parameter.allocate(f.memory(), name, shape.rows(), shape.cols());
  }
}
