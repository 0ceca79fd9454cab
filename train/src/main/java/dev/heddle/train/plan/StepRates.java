package dev.heddle.train.plan;

import dev.heddle.comm.Group;
import dev.heddle.nn.Outline;
import dev.heddle.train.assign.LinkModel;
import dev.heddle.train.batch.Rehearsal;
import java.util.List;

/**
 * How fast workers are, and the links between them.
 *
 * @param perArc seconds to draw an arc
 * @param perRow seconds to load a row of features
 * @param perMultiplication seconds of forward and backward for each, see {@link
 *     dev.heddle.train.batch.BatchWork#multiplications}
 * @param link what a message takes on the slowest link
 */
public record StepRates(double perArc, double perRow, double perMultiplication, LinkModel link) {
  /**
   * Rates as all workers measured them together, who all call it and get the same: of kernels those
   * of all together, of links the slowest.
   */
  static StepRates measured(Group group, Rehearsal rehearsal, List<Outline> model) {
    double[] sums = {
      rehearsal.sampleSeconds(),
      rehearsal.work().arcs(),
      rehearsal.loadSeconds(),
      rehearsal.work().loaded(),
      rehearsal.computeSeconds(),
      rehearsal.work().multiplications(model)
    };
    group.sum(sums);
    return new StepRates(
        sums[0] / Math.max(1, sums[1]),
        sums[2] / Math.max(1, sums[3]),
        sums[4] / Math.max(1, sums[5]),
        slowest(group));
  }

  private static LinkModel slowest(Group group) {
    double perByte = 0;
    double latency = 0;
    for (LinkModel[] from : LinkModel.measured(group)) {
      for (LinkModel link : from) {
        perByte = Math.max(perByte, link.secondsPerByte());
        latency = Math.max(latency, link.latency());
      }
    }
    return new LinkModel(perByte, latency);
  }

  /**
   * Seconds of a step.
   *
   * @param peers with whom messages are exchanged, at one time with all
   * @param ahead whether batches are loaded while others are computed
   */
  StepSeconds seconds(StepCounts counts, int peers, boolean ahead) {
    return new StepSeconds(
        perArc * counts.arcs(),
        perRow * counts.loaded(),
        travel(counts.loading(), peers),
        perMultiplication * counts.multiplications(),
        travel(counts.shuffling(), peers),
        ahead);
  }

  private double travel(StepCounts.Amount amount, int peers) {
    return (link.latency() * amount.messages() + link.secondsPerByte() * amount.bytes())
        / Math.max(1, peers);
  }
}
