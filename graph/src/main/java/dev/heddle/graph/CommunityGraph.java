package dev.heddle.graph;

import dev.heddle.graph.store.StoreDraft;
import dev.heddle.kernel.ThreadTeam;
import java.nio.file.Path;

/**
 * Settings of a synthetic graph with communities, hubs, and classes that can be learned both from
 * features and from neighbours.
 *
 * <p>It is a degree-corrected block model (Karrer & Newman, Phys. Rev. E 83, 2011): vertices have
 * degrees of a power law, a share of the arcs stays inside the community of their source, and both
 * ends are drawn in proportion to degrees. Arcs go both ways, without loops or repetitions. A
 * community's vertices are of one class; the features of a vertex are the centre of its class plus
 * Gaussian noise.
 *
 * <p>The same settings give the same graph, bit for bit, for any number of threads.
 */
public final class CommunityGraph {
  private static final int TYPICAL_COMMUNITY = 1000;

  private final int vertices;
  private double averageDegree = 20;
  private double exponent = 2.5;
  private int communities;
  private int classes = 10;
  private double homophily = 0.8;
  private int width = 64;
  private double noise = 4;
  private double train = 0.6;
  private double valid = 0.2;
  private int words;
  private boolean clustered;
  private boolean shuffled = true;
  private long seed;

  private CommunityGraph(int vertices) {
    require(vertices >= 2, "vertices", vertices, "at least 2");
    this.vertices = vertices;
  }

  /** Settings for that many vertices. */
  public static CommunityGraph of(int vertices) {
    return new CommunityGraph(vertices);
  }

  /** Arcs per vertex, both directions counted; reached within 2 %. Default 20. */
  public CommunityGraph averageDegree(double value) {
    require(value > 0 && value < vertices, "averageDegree", value, "above 0 and below vertices");
    averageDegree = value;
    return this;
  }

  /** Exponent of the degrees' power law; the larger, the more equal they are. Default 2.5. */
  public CommunityGraph exponent(double value) {
    require(value > 1, "exponent", value, "above 1");
    exponent = value;
    return this;
  }

  /** Communities, of equal size. By default as many as have some 1,000 vertices. */
  public CommunityGraph communities(int value) {
    require(value >= 1 && value <= vertices / 2, "communities", value, "1 to vertices / 2");
    communities = value;
    return this;
  }

  /** Classes, each the class of several communities. Default 10. */
  public CommunityGraph classes(int value) {
    require(value >= 1, "classes", value, "at least 1");
    classes = value;
    return this;
  }

  /** Share of arcs that stay inside a community. Default 0.8. */
  public CommunityGraph homophily(double value) {
    require(value >= 0 && value <= 1, "homophily", value, "0 to 1");
    homophily = value;
    return this;
  }

  /** Columns of the features; 0 for a graph without any. Default 64. */
  public CommunityGraph width(int value) {
    require(value >= 0, "width", value, "at least 0");
    width = value;
    return this;
  }

  /**
   * Words per vertex, of a vocabulary as large as the width, for features that are sparse; 0 for
   * dense ones. Some are favourites of the vertex's class: one in {@code 1 + noise}. Default 0.
   */
  public CommunityGraph words(int value) {
    require(value >= 0, "words", value, "at least 0");
    words = value;
    return this;
  }

  /** Standard deviation of the noise where that of the class centres is 1. Default 4. */
  public CommunityGraph noise(double value) {
    require(value >= 0 && value < 1e6, "noise", value, "0 to a million");
    noise = value;
    return this;
  }

  /** Shares of vertices to train on and to validate with; the others are for testing. */
  public CommunityGraph split(double trainShare, double validShare) {
    require(trainShare > 0 && trainShare <= 1, "train", trainShare, "above 0 and at most 1");
    require(validShare >= 0 && trainShare + validShare <= 1, "valid", validShare, "0 to 1 - train");
    train = trainShare;
    valid = validShare;
    return this;
  }

  /**
   * Whether training vertices are together: whole communities of each class, as where labels were
   * gathered in a few places only. Else they are drawn from all. Default false.
   */
  public CommunityGraph clustered(boolean value) {
    clustered = value;
    return this;
  }

  /** Whether ids are in random order; else communities follow one another. Default true. */
  public CommunityGraph shuffled(boolean value) {
    shuffled = value;
    return this;
  }

  public CommunityGraph seed(long value) {
    seed = value;
    return this;
  }

  /** Makes the graph, in time and memory linear in its size. */
  public Graph generate(ThreadTeam team) {
    check();
    return new CommunityGenerator(this).generate(team);
  }

  /**
   * Makes the same graph as a store, in time linear in its size and memory linear in its vertices.
   *
   * @param overwrite whether a store that is there is replaced
   */
  public void generate(ThreadTeam team, Path store, boolean overwrite) {
    check();
    try (StoreDraft draft = StoreDraft.begin(store, overwrite)) {
      new CommunityStore(this, draft, team).write();
    }
  }

  private void check() {
    int groups = communities();
    require(classes <= groups, "classes", classes, "at most the " + groups + " communities");
    require(homophily == 1 || groups > 1, "communities", groups, "above 1 for homophily below 1");
    require(words <= width, "words", words, "at most the width, " + width);
    double inside = homophily * averageDegree;
    int size = vertices / groups;
    require(
        inside <= (size - 1) / 2.0,
        "averageDegree",
        averageDegree,
        "smaller for homophily " + homophily + " and communities of " + size);
  }

  private static void require(boolean holds, String name, double value, String wish) {
    if (!holds) {
      String shown = value == Math.rint(value) ? Long.toString((long) value) : "" + value;
      throw new IllegalArgumentException(name + " must be " + wish + ", not " + shown);
    }
  }

  int vertices() {
    return vertices;
  }

  double averageDegree() {
    return averageDegree;
  }

  double exponent() {
    return exponent;
  }

  int communities() {
    return communities > 0 ? communities : Math.max(classes, vertices / TYPICAL_COMMUNITY);
  }

  int classes() {
    return classes;
  }

  double homophily() {
    return homophily;
  }

  int width() {
    return width;
  }

  int words() {
    return words;
  }

  boolean clustered() {
    return clustered;
  }

  double noise() {
    return noise;
  }

  double train() {
    return train;
  }

  double valid() {
    return valid;
  }

  boolean shuffled() {
    return shuffled;
  }

  long seed() {
    return seed;
  }
}
