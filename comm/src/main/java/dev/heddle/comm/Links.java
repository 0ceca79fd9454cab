package dev.heddle.comm;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The network to imitate: a link for each direction of each pair of workers, most of them alike.
 */
public final class Links {
  /** As fast as it goes. */
  public static final Links UNLIMITED = all(Link.UNLIMITED);

  /** Some link of its own: {@code 0-2=100Mbit} is from rank 0 to rank 2. */
  private static final Pattern ONE = Pattern.compile("\\s*([0-9]+)\\s*-\\s*([0-9]+)\\s*=(.*)");

  private final Link usual;
  private final Map<Direction, Link> others;

  private record Direction(int from, int to) {}

  private Links(Link usual, Map<Direction, Link> others) {
    this.usual = usual;
    this.others = Map.copyOf(others);
  }

  /** Every link is this one. */
  public static Links all(Link link) {
    return new Links(link, Map.of());
  }

  /** These links, but for the one from one rank to another. */
  public Links with(int from, int to, Link link) {
    Map<Direction, Link> changed = new HashMap<>(others);
    changed.put(new Direction(from, to), link);
    return new Links(usual, changed);
  }

  /**
   * Links by the words of the command line: a rate for all, and rates of single directions, like
   * {@code 1Gbit,0-2=100Mbit}. Where none is given for all, others have no limit.
   *
   * @param latency of all of them
   */
  public static Links parse(String rates, String latency) {
    Links links = all(Link.delay(latency));
    for (String words : rates.split(",", -1)) {
      Matcher one = ONE.matcher(words);
      if (one.matches()) {
        Link link = Link.parse(one.group(3), latency);
        links = links.with(Integer.parseInt(one.group(1)), Integer.parseInt(one.group(2)), link);
      } else {
        links = new Links(Link.parse(words, latency), links.others);
      }
    }
    return links;
  }

  /** The link from one rank to another. */
  Link between(int from, int to) {
    return others.getOrDefault(new Direction(from, to), usual);
  }

  /** Refuses links of ranks that a run of so many workers does not have. */
  public void check(int workers) {
    for (Direction d : others.keySet()) {
      if (d.from == d.to || d.from >= workers || d.to >= workers) {
        throw new IllegalArgumentException(
            "there is no link " + d.from + "-" + d.to + " among " + workers + " workers");
      }
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Links links && links.usual.equals(usual) && links.others.equals(others);
  }

  @Override
  public int hashCode() {
    return 31 * usual.hashCode() + others.hashCode();
  }
}
