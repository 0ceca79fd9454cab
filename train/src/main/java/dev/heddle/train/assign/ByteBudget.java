package dev.heddle.train.assign;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The least variance for a number of bytes: what uniform widths would send, spent where it helps
 * most. Links do not matter. As variance falls with bits on a convex curve, groups are widened in
 * the order of gain per byte, leaving out what no longer fits. Where little is left for few groups
 * that may come to more than uniform widths, which are taken then.
 */
public final class ByteBudget {
  private ByteBudget() {}

  /** A group that may be widened by one step. */
  @SuppressWarnings("ArrayRecordComponent") // The widths that it changes.
  private record Step(byte[] widths, int group, int index, double gain, double bytes) {
    double rate() {
      return gain / bytes;
    }
  }

  /**
   * The widths of all groups of all lanes.
   *
   * @param bits of the uniform width whose bytes are not exceeded
   * @return per round and lane, a width for every group
   */
  public static List<List<byte[]>> assign(List<List<Lane>> rounds, int bits) {
    List<List<byte[]>> chosen = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    double left = 0;
    for (List<Lane> round : rounds) {
      List<byte[]> ofRound = new ArrayList<>();
      for (Lane lane : round) {
        byte[] widths = all(lane, Lane.WIDTHS[0]);
        ofRound.add(widths);
        for (int g = 0; g < widths.length; g++) {
          left += lane.bytes(g, bits) - lane.bytes(g, Lane.WIDTHS[0]);
          addSteps(lane, g, widths, steps);
        }
      }
      chosen.add(ofRound);
    }
    // Stable: of equal ones, narrow before wide.
    steps.sort(Comparator.comparingDouble(Step::rate).reversed());
    for (Step step : steps) {
      boolean next = step.widths[step.group] == Lane.WIDTHS[step.index - 1];
      if (next && step.bytes <= left) {
        step.widths[step.group] = (byte) Lane.WIDTHS[step.index];
        left -= step.bytes;
      }
    }
    List<List<byte[]>> uniform =
        rounds.stream().map(round -> round.stream().map(l -> all(l, bits)).toList()).toList();
    return variance(rounds, chosen) <= variance(rounds, uniform) ? chosen : uniform;
  }

  private static byte[] all(Lane lane, int bits) {
    byte[] widths = new byte[lane.groups()];
    Arrays.fill(widths, (byte) bits);
    return widths;
  }

  private static double variance(List<List<Lane>> rounds, List<List<byte[]>> widths) {
    double sum = 0;
    for (int r = 0; r < rounds.size(); r++) {
      for (int l = 0; l < rounds.get(r).size(); l++) {
        Lane lane = rounds.get(r).get(l);
        for (int g = 0; g < lane.groups(); g++) {
          sum += lane.variance(g, widths.get(r).get(l)[g]);
        }
      }
    }
    return sum;
  }

  private static void addSteps(Lane lane, int group, byte[] widths, List<Step> steps) {
    for (int w = 1; w < Lane.WIDTHS.length; w++) {
      int before = Lane.WIDTHS[w - 1];
      int after = Lane.WIDTHS[w];
      double gain = lane.variance(group, before) - lane.variance(group, after);
      double bytes = lane.bytes(group, after) - lane.bytes(group, before);
      steps.add(new Step(widths, group, w, gain, bytes));
    }
  }
}
