package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.ClassLabels;
import dev.heddle.kernel.Losses;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowLoss;
import dev.heddle.kernel.ThreadTeam;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Every loss against torch: its value, and its gradient by all rows of the scores. */
class LossFixtureTest {
  @Test
  void softmaxCrossEntropyEqualsTorch() {
    assertEqualsTorch(
        "cross_entropy",
        f -> {
          ClassLabels classes = ClassLabels.of(f.memory(), f.ints("targets"), 5);
          return Losses.softmaxCrossEntropy(f.memory(), f.ints("rows"), classes.values(), 5);
        });
  }

  @Test
  void sigmoidCrossEntropyEqualsTorch() {
    assertEqualsTorch(
        "bce_with_logits",
        f -> Losses.sigmoidCrossEntropy(f.memory(), f.ints("rows"), f.matrix("targets")));
  }

  @Test
  void squaredErrorEqualsTorch() {
    assertEqualsTorch(
        "mse", f -> Losses.squaredError(f.memory(), f.ints("rows"), f.matrix("targets")));
  }

  private static void assertEqualsTorch(String name, Function<Fixture, RowLoss> make) {
    try (Fixture f = Fixture.open(name);
        ThreadTeam team = ThreadTeam.of(2)) {
      Matrix logits = f.matrix("logits");
      Matrix grad = Matrix.allocate(f.memory(), logits.rows(), logits.cols());
      grad.fill(Float.NaN); // Rows outside the loss must be set to zero, not left.
      float scale = 1f / f.ints("rows").length;
      double loss = make.apply(f).run(team, logits, scale, grad);
      assertThat(loss).isCloseTo(f.number("loss"), within(1e-6 * f.number("loss")));
      f.assertMatches("grad_logits", grad, grad.rows());
    }
  }
}
