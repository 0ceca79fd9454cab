package dev.heddle.nn;

import static org.assertj.core.api.Assertions.fail;

import dev.heddle.kernel.Matrix;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Step;
import java.util.List;

/**
 * Gradients of a program against finite differences.
 *
 * <p>The loss is a weighted sum of the outputs. For a random direction D, {@code (L(p + hD) − L(p −
 * hD)) / 2h} must be {@code ∇L · D} at p. It is not where a ReLU or a maximum has a kink between
 * the two points: {@code ∇L · D} then differs from one to the other. Such a place tells nothing,
 * and the test goes on from another. Two kinks may hide each other, so that one place alone does
 * not decide.
 *
 * @param h half the way from one point to the other, in directions
 * @param tolerance error allowed, as a share of the gradient's norm
 */
public record FiniteDifferences(RandomGraph graph, Step step, float h, double tolerance) {
  private static final int VOTES = 2;

  /** Places tried before giving up. */
  private static final int PLACES = 150;

  /** Looks at the gradient of one parameter; {@code weights} are those of the outputs. */
  public void check(Program program, Matrix weights, Parameter p) {
    int right = 0;
    int wrong = 0;
    for (int place = 0; right < VOTES; place++) {
      if (place == PLACES) {
        fail("%s: kinks everywhere", p);
      }
      Matrix direction = graph.gaussian(p.value().rows(), p.value().cols());
      Point first = point(p, program, weights, direction);
      double allowed = tolerance * Math.max(norm(List.of(p)), norm(program.parameters()) / 30);
      move(p.value(), direction, h);
      Point middle = point(p, program, weights, direction);
      move(p.value(), direction, h);
      Point last = point(p, program, weights, direction);
      if (Math.abs(first.slope - middle.slope) > allowed / 3
          || Math.abs(last.slope - middle.slope) > allowed / 3) {
        move(p.value(), direction, 0.02f);
        continue;
      }
      double difference = (last.loss - first.loss) / (2 * h);
      if (Math.abs(difference - middle.slope) <= allowed) {
        right++;
      } else if (++wrong == VOTES) {
        fail("%s: gradient %.5f, differences %.5f", p, middle.slope, difference);
      }
    }
  }

  /** The loss where the parameters are, and the gradient's share along a direction. */
  private record Point(double loss, double slope) {}

  private Point point(Parameter p, Program program, Matrix weights, Matrix direction) {
    program.parameters().forEach(Parameter::zeroGrad);
    program.forward(step);
    double loss = dot(program.output(), weights);
    copy(weights, program.outputGrad());
    program.backward(step);
    return new Point(loss, dot(p.grad(), direction));
  }

  /** The norm of some gradients together; the loss is a float32, and no finer than all of them. */
  private static double norm(List<Parameter> parameters) {
    return Math.sqrt(parameters.stream().mapToDouble(p -> dot(p.grad(), p.grad())).sum());
  }

  /** Over the rows of {@code b}: an output may have room for more. */
  private static double dot(Matrix a, Matrix b) {
    double sum = 0;
    for (int r = 0; r < b.rows(); r++) {
      for (int c = 0; c < b.cols(); c++) {
        sum += (double) a.get(r, c) * b.get(r, c);
      }
    }
    return sum;
  }

  static void move(Matrix m, Matrix direction, float by) {
    for (int r = 0; r < m.rows(); r++) {
      for (int c = 0; c < m.cols(); c++) {
        m.set(r, c, m.get(r, c) + by * direction.get(r, c));
      }
    }
  }

  private static void copy(Matrix from, Matrix to) {
    for (int r = 0; r < from.rows(); r++) {
      for (int c = 0; c < from.cols(); c++) {
        to.set(r, c, from.get(r, c));
      }
    }
  }
}
