package dev.heddle.nn;

import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A network of a given description with its parameters: a list of {@link Section}s, recorded as a
 * whole, or some by this worker and the others by other workers.
 */
public final class Model {
  private final ModelSpec spec;
  private final Shape shape;
  private final Parameters parameters;
  private final List<Section> sections;
  private final int hops;
  private @Nullable List<Outline> outlines;

  private Model(ModelDescription description, Parameters parameters, List<Section> sections) {
    this.spec = description.spec();
    this.shape = description.shape();
    this.parameters = parameters;
    this.sections = List.copyOf(sections);
    hops = sections.stream().mapToInt(Section::hops).sum();
  }

  /**
   * A freshly drawn model.
   *
   * @param shape columns that come in and go out
   */
  public static Model create(ModelSpec spec, Shape shape, Memory memory, long seed) {
    Parameters parameters = new Parameters(memory, seed);
    List<Section> sections = sections(spec, parameters, shape);
    if (spec.decayFirstLayerOnly()) {
      String first = parameters.all().getFirst().name();
      String layer = first.substring(0, first.indexOf('.') + 1);
      parameters.all().stream()
          .filter(p -> !p.name().startsWith(layer))
          .forEach(p -> p.weightDecay(0));
    }
    Model model = new Model(new ModelDescription(spec, shape), parameters, sections);
    if (spec.kind() instanceof CustomNetwork network) {
      model.requireFit(network);
    }
    return model;
  }

  /** What a user's network says of itself, or makes, must be what is needed. */
  private void requireFit(CustomNetwork network) {
    if (hops() != network.hops()) {
      throw new IllegalArgumentException(
          "the sections of %s take %d hops, not %d".formatted(network, hops(), network.hops()));
    }
    int made = sections.isEmpty() ? shape.features() : outlines().getLast().out().rows();
    if (made != shape.outputs()) {
      throw new IllegalArgumentException(
          "%s makes %d columns, not %d".formatted(network, made, shape.outputs()));
    }
  }

  private static List<Section> sections(ModelSpec spec, Parameters parameters, Shape shape) {
    return switch (spec.kind()) {
      case CustomNetwork network -> network.maker().sections(parameters, shape);
      case ModelKind kind -> sections(kind, spec, parameters, shape);
    };
  }

  private static List<Section> sections(
      ModelKind kind, ModelSpec spec, Parameters parameters, Shape shape) {
    return switch (kind) {
      case GCNII -> Gcnii.sections(parameters, shape, spec);
      case RESGCN -> ResGcn.sections(parameters, shape, spec);
      case SGC -> List.of(new Sgc(parameters, shape, spec));
      case APPNP -> Appnp.sections(parameters, shape, spec);
      case MLP -> Mlp.sections(parameters, shape, spec);
      case GCN, SAGE, SAGE_POOL, GAT, GATV2, GIN ->
          ConvStack.sections(kind, parameters, shape, spec);
    };
  }

  /** Columns of the input features and of the output. */
  public record Shape(int features, int outputs) {}

  /** Records the whole computation; {@code hops} are in the order they are taken. */
  public Value record(Recorder r, List<Hop> hops, Value x) {
    return record(r, sections, hops, Flow.of(x)).rows();
  }

  /**
   * Records some sections, whose operations draw what they would draw in a recording of all. The
   * first may be recorded once more before later ones, for a {@link Flow#start} made here.
   *
   * @param from the first of them, from 0
   * @param to the one after the last
   * @param hops of these sections, in the order they are taken
   * @param in features for the first section, the {@link #boundary} for others
   */
  public Flow record(Recorder r, int from, int to, List<Hop> hops, Flow in) {
    int draws = 0;
    for (int section = 0; section < from; section++) {
      draws += outlines().get(section).draws();
    }
    r.numberDrawsFrom(draws);
    return record(r, sections.subList(from, to), hops, in);
  }

  private static Flow record(Recorder r, List<Section> sections, List<Hop> hops, Flow in) {
    Flow flow = in;
    int taken = 0;
    for (Section section : sections) {
      flow = section.record(r, hops.subList(taken, taken + section.hops()), flow);
      taken += section.hops();
    }
    return flow;
  }

  /**
   * What comes into a section from those before it, where these are recorded elsewhere: see {@link
   * Recorder#boundary}.
   */
  public Flow boundary(Recorder r, int section, Rows rows) {
    return Outline.boundary(r, outlines().get(section).in(), rows);
  }

  /** How many sections there are. */
  public int sections() {
    return sections.size();
  }

  /** What is known of each section. */
  public List<Outline> outlines() {
    List<Outline> known = outlines;
    if (known == null) {
      known = Outline.of(sections, shape.features(), parameters.memory());
      outlines = known;
    }
    return known;
  }

  /** How many hops of message passing it takes. */
  public int hops() {
    return hops;
  }

  public ModelSpec spec() {
    return spec;
  }

  public Shape shape() {
    return shape;
  }

  public Parameters parameters() {
    return parameters;
  }
}
