package dev.heddle.train.loop;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.kernel.Matrix;
import dev.heddle.nn.Model;
import dev.heddle.nn.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Which parameters a worker has and moves, with whom it sums their gradients, and whether it is the
 * one that writes them into checkpoints. Where workers have different ones, each parameter has a
 * worker that answers for it: whose values and state of the optimizer are told to the others.
 */
public final class ParameterPlacement {
  private final Group everyone;
  private final List<Parameter> all;
  private final List<Share> shares;
  private final int[] owners;
  private final int[] numbers;
  private final boolean replicated;
  private final double[] squares;

  /** Parameters and those who have them too. */
  public record Share(List<Parameter> parameters, Group sharers) {
    public Share {
      parameters = List.copyOf(parameters);
    }
  }

  private ParameterPlacement(
      Group everyone, List<Parameter> all, List<Share> shares, int[] owners, boolean replicated) {
    this.everyone = everyone;
    this.all = List.copyOf(all);
    this.shares = List.copyOf(shares);
    this.owners = owners;
    this.replicated = replicated;
    squares = new double[all.size()];
    numbers = here().stream().mapToInt(all::indexOf).toArray();
  }

  /** All parameters at every worker; the first one writes them. */
  public static ParameterPlacement replicated(Model model, Group group) {
    List<Parameter> all = model.parameters().all();
    List<Share> shares = List.of(new Share(all, group));
    return new ParameterPlacement(group, all, shares, new int[all.size()], true);
  }

  /**
   * Parameters by stages; the first worker writes them.
   *
   * @param shares what this worker has
   * @param owners of each of the model's parameters, the worker that answers for it
   */
  public static ParameterPlacement byStage(
      Model model, Group group, List<Share> shares, int[] owners) {
    List<Parameter> all = model.parameters().all();
    return new ParameterPlacement(group, all, shares, owners.clone(), false);
  }

  /** Parameters that are here, in the order of shares. */
  public List<Parameter> here() {
    return shares.stream().flatMap(share -> share.parameters.stream()).toList();
  }

  /** Parameters that are here, by who has them too. */
  public List<Share> shares() {
    return shares;
  }

  /** Whether this worker writes checkpoints. */
  public boolean writes() {
    return everyone.rank() == 0;
  }

  /** Whether every worker has all parameters at any time. */
  public boolean isReplicated() {
    return replicated;
  }

  /**
   * The sum over all parameters of all workers.
   *
   * @param ofHere a number for each parameter that is {@link #here}
   */
  double total(double[] ofHere) {
    if (replicated) {
      return sum(ofHere);
    }
    Arrays.fill(squares, 0);
    for (int i = 0; i < ofHere.length; i++) {
      squares[numbers[i]] = owners[numbers[i]] == everyone.rank() ? ofHere[i] : 0;
    }
    everyone.sum(squares);
    // In the order of parameters, wherever they are: the same bits for any cut.
    return sum(squares);
  }

  private static double sum(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum;
  }

  /**
   * Gives every worker what those say that answer for parameters; all workers call it.
   *
   * @param matrices of all parameters, by names that are a parameter's or begin with it and a dot;
   *     at every worker the same, in the same order
   */
  public void gather(Map<String, Matrix> matrices) {
    if (replicated) {
      return;
    }
    matrices.forEach((name, matrix) -> {
      int number = 0;
      while (!isOf(all.get(number), name)) {
        number++;
      }
      long bytes = Matrix.bytes(matrix.rows(), matrix.cols());
      everyone.broadcast(owners[number], Kind.CONTROL, matrix.data().asSlice(0, bytes));
    });
  }

  private static boolean isOf(Parameter parameter, String name) {
    return name.equals(parameter.name()) || name.startsWith(parameter.name() + ".");
  }

  /** The parameters, in the model's order, for which this worker answers. */
  public List<Parameter> answersFor() {
    List<Parameter> answers = new ArrayList<>();
    for (int i = 0; i < owners.length; i++) {
      if (owners[i] == everyone.rank()) {
        answers.add(all.get(i));
      }
    }
    return answers;
  }
}
