package dev.heddle.nn;

import dev.heddle.graph.Normalisation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A network of the user's own, as a list of {@link Section}s: trained, cut over workers and saved
 * like those that are built in.
 *
 * <pre>{@code
 * CustomNetwork.of("two-hops", 2, (parameters, shape) -> {
 *   GcnConv first = new GcnConv(parameters.under("first"), shape.features(), 32);
 *   SageConv second = new SageConv(parameters.under("second"), 32, shape.outputs());
 *   return List.of(
 *       Section.of((r, hop, x) ->
 *           r.epilogue(first.record(r, hop, x), null, Activation.RELU, 0.5f)),
 *       Section.of(second));
 * }).withSelfLoops()
 * }</pre>
 *
 * @param label its name in model files and checkpoints, which know it by nothing else: one that
 *     computes something else is to have another
 * @param hops of message passing that its sections take together
 * @param maker of its sections
 * @param selfLoops whether a vertex aggregates itself through an arc of its own
 * @param aggregation how its layers sum the rows of sources, which samples of batches are weighted
 *     for; null where they attend to arcs or take the largest of rows
 * @param attention whether some layer attends to arcs
 */
public record CustomNetwork(
    String label,
    int hops,
    Maker maker,
    boolean selfLoops,
    @Nullable Normalisation aggregation,
    boolean attention)
    implements Architecture {

  public CustomNetwork {
    if (label.isBlank()) {
      throw new IllegalArgumentException("a network needs a name");
    }
    if (hops < 0) {
      throw new IllegalArgumentException(label + " cannot take " + hops + " hops");
    }
  }

  /** Makes the sections, whose parameters are drawn in the order in which they are asked for. */
  public interface Maker {
    List<Section> sections(Parameters parameters, Model.Shape shape);
  }

  /** A network whose layers take the mean of rows, if they sum any, over the arcs of the graph. */
  public static CustomNetwork of(String label, int hops, Maker maker) {
    return new CustomNetwork(label, hops, maker, false, Normalisation.MEAN, false);
  }

  /** With an arc from every vertex to itself, as GCN and attention need them. */
  public CustomNetwork withSelfLoops() {
    return new CustomNetwork(label, hops, maker, true, aggregation, attention);
  }

  /** With layers that sum rows in another way. */
  public CustomNetwork summing(Normalisation how) {
    return new CustomNetwork(label, hops, maker, selfLoops, how, attention);
  }

  /** With layers that attend to arcs. */
  public CustomNetwork attending() {
    return new CustomNetwork(label, hops, maker, selfLoops, null, true);
  }

  /** With layers that take the largest of rows. */
  public CustomNetwork takingLargest() {
    return new CustomNetwork(label, hops, maker, selfLoops, null, false);
  }

  /** What its sections do first is not known: features are never aggregated for it. */
  @Override
  public boolean aggregatesFeatures() {
    return false;
  }

  @Override
  public boolean takesLargest() {
    return aggregation == null && !attention;
  }

  @Override
  public String toString() {
    return label;
  }
}
