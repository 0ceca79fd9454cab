package dev.heddle.nn.program;

import dev.heddle.graph.Block;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Normalisation;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.kernel.Activation;
import dev.heddle.kernel.Heads;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowIds;
import dev.heddle.nn.Parameter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes down a model's operations in the order they are called.
 *
 * <p>Operations named {@code …Onto} add their result to a value in place and return it; {@link
 * #epilogue} works in place too. A value given to one of them must not be used again.
 */
public final class Recorder {
  /**
   * How values are stored and what is computed once.
   *
   * @param foldConstants whether what depends on constants alone is computed once and kept
   * @param halfWidth whether rows are rounded to bfloat16 before they are gathered
   * @param forwardOnly whether nothing is kept for gradients: a value's memory is free again as
   *     soon as its last reader has run
   * @param recompute whether results of element-wise operations (activation, dropout, layer norm,
   *     sums) are computed again for backward instead of kept, where that saves memory: the same
   *     bits in fewer bytes
   */
  public record Options(
      boolean foldConstants, boolean halfWidth, boolean forwardOnly, boolean recompute) {
    public static final Options DEFAULT = new Options(true, false);

    public Options(boolean foldConstants, boolean halfWidth, boolean forwardOnly) {
      this(foldConstants, halfWidth, forwardOnly, false);
    }

    public Options(boolean foldConstants, boolean halfWidth) {
      this(foldConstants, halfWidth, false);
    }

    public Options recomputing() {
      return new Options(foldConstants, halfWidth, forwardOnly, true);
    }
  }

  private final Options options;
  private final List<Op> ops = new ArrayList<>();
  private final List<Value> boundaries = new ArrayList<>();
  private final Map<Reached, FetchHalo> reached = new HashMap<>();
  private int draws;

  public Recorder(Options options) {
    this.options = options;
  }

  /** Whether aggregating {@code x} costs nothing per step, because it is constant. */
  public boolean foldsAggregationOf(Value x) {
    return x.aggregated() != null
        || (options.foldConstants() && x.constant() && x.sparse() == null);
  }

  /** The input features of some vertices. */
  public Value input(Rows rows, Features features) {
    return switch (features) {
      case DenseFeatures dense -> Value.constant(rows, dense.matrix());
      case SparseFeatures sparse -> Value.sparse(rows, sparse);
    };
  }

  /**
   * Rows that come with their aggregation over the first hop, which is {@link Hop#given}; both are
   * matrices of its destinations that change from step to step.
   */
  public Value input(Hop first, Matrix own, Matrix aggregated) {
    return Value.constant(first.destinations(), own)
        .withAggregated(Value.constant(first.destinations(), aggregated));
  }

  /** Dense rows that change from step to step. */
  public Value input(Rows rows, Matrix features) {
    return Value.constant(rows, features);
  }

  /**
   * Sparse rows that change from step to step.
   *
   * @param first the destinations of the first hop
   * @param ofFirst the features of these alone
   */
  public Value input(Rows rows, SparseFeatures features, Rows first, SparseFeatures ofFirst) {
    return Value.sparse(rows, features).withDestinations(Value.sparse(first, ofFirst));
  }

  /**
   * Rows that another program has computed, of which this one goes on: {@code rows × cols}. The
   * caller fills {@link Value#data} before forward and reads {@link Value#grad} after backward; the
   * one may lie in the other's memory.
   */
  public Value boundary(Rows rows, int cols) {
    Value boundary = Value.of(rows, cols);
    boundary.derive(/* isConstant= */ false, /* isLearnt= */ true, !options.forwardOnly());
    boundaries.add(boundary);
    return boundary;
  }

  /** Rows that are learnt, one per vertex. */
  public Value embedding(Rows vertices, Parameter rows) {
    return add(new Embedding(vertices, rows));
  }

  /** {@code x · w} for all rows. */
  public Value linear(Value x, Parameter w) {
    return linear(x, x.rows(), w);
  }

  /** {@code x · w} for the first rows of {@code x}: those of the destinations of a hop. */
  public Value linear(Value x, Rows rows, Parameter w) {
    return add(multiplication(firstRows(x, rows), w, Target.fresh(rows, w.value().cols())));
  }

  /** Rows that an operation on fewer rows reads; sparse ones are kept apart. */
  private static Value firstRows(Value x, Rows rows) {
    Value first = x.destinations();
    return first != null && first.rows() == rows ? first : x;
  }

  /** {@code onto + x · w}. */
  public Value linearOnto(Value x, Parameter w, Value onto) {
    return add(multiplication(firstRows(x, onto.rows()), w, Target.onto(onto)));
  }

  private static Op multiplication(Value x, Parameter w, Target target) {
    if (x.cols() != w.value().rows()) {
      throw new IllegalArgumentException(
          x.cols() + " columns do not fit " + w.name() + " of " + w.value());
    }
    return x.sparse() == null ? new Linear(x, w, target) : new SparseLinear(x, w, target);
  }

  /** Aggregates source rows into destination rows. */
  public Value aggregate(Hop hop, Normalisation normalisation, Value x) {
    Value given = x.aggregated();
    if (given != null) {
      return given;
    }
    Target target = Target.fresh(hop.destinations(), x.cols());
    return add(aggregation(hop, normalisation, sources(hop, normalisation, x), target));
  }

  /** {@code onto} + the aggregation of {@code x}. */
  public Value aggregateOnto(Hop hop, Normalisation normalisation, Value x, Value onto) {
    return add(aggregation(hop, normalisation, sources(hop, normalisation, x), Target.onto(onto)));
  }

  private Op aggregation(Hop hop, Normalisation normalisation, Sources sources, Target target) {
    Block block = hop.block();
    return rounds(hop)
        ? new HalfAggregate(sources.rows(), block, normalisation, target)
        : new Aggregate(sources, block, normalisation, target);
  }

  /** The rows of a sample are few: rounding them would cost more than gathering them gains. */
  private boolean rounds(Hop hop) {
    return options.halfWidth() && !hop.narrows();
  }

  /**
   * {@code (Â x) W + x W_self}, in the order that is cheapest: the aggregation of constants is done
   * once, that of a sample before its fewer rows are mapped, and otherwise the narrower rows are
   * aggregated. All orders are equal.
   *
   * @param maps the weights of aggregated rows and, or null, of a destination's own row
   */
  public Value convolve(Hop hop, Normalisation normalisation, Value x, Maps maps) {
    Parameter w = maps.neighbours();
    boolean narrows = w.value().cols() < x.cols();
    if (x.learnt() && !rounds(hop)) {
      var convolution = new Convolution(hop, normalisation, w, maps.self());
      if (hop.narrows()) {
        return add(new ConvolveToFewer(reach(hop, x), convolution));
      }
      if (!narrows) {
        return add(new AggregateThenMap(sources(hop, normalisation, x), convolution));
      }
      if (hop.halo() == null) {
        return add(new MapThenAggregate(x, convolution));
      }
      // Across workers, rows are mapped where they are, and travel narrow.
    }
    boolean cheapFirst = foldsAggregationOf(x) || (!x.learnt() && hop.narrows()) || !narrows;
    boolean aggregateFirst = x.sparse() == null && cheapFirst;
    Parameter self = maps.self();
    if (self == null) {
      return aggregateFirst
          ? linear(aggregate(hop, normalisation, x), w)
          : aggregate(hop, normalisation, linear(x, w));
    }
    Value given = x.aggregated();
    if (given != null) {
      return linearOnto(given, w, linear(x, hop.destinations(), self));
    }
    // What may travel sets out before what needs nothing from elsewhere is computed.
    Sources sources = sources(hop, normalisation, aggregateFirst ? x : linear(x, w));
    Value own = linear(x, hop.destinations(), self);
    if (!aggregateFirst) {
      return add(aggregation(hop, normalisation, sources, Target.onto(own)));
    }
    Target fresh = Target.fresh(hop.destinations(), x.cols());
    return linearOnto(add(aggregation(hop, normalisation, sources, fresh)), w, own);
  }

  /** The weights of a convolution: of aggregated rows, and of a row itself where it has one. */
  public record Maps(Parameter neighbours, @Nullable Parameter self) {}

  /**
   * Rows of a depth at which vertices change hands: each is computed by its owner, and needed by
   * others from here on.
   *
   * @param own this worker's own rows at that depth, the first of {@code x}
   * @param joint whose sources are these and its halo, and whose destinations the rows that it
   *     needs
   * @param order the source of each destination
   */
  public Value regroup(Rows own, Hop joint, RowIds order, Value x) {
    FetchHalo fetch = fetch(joint, null, x, own);
    if (fetch == null) {
      throw new IllegalArgumentException("nobody else has rows to be regrouped");
    }
    fetch.readBy(/* inStages= */ false);
    return add(new Regroup(fetch.output(), order, joint.destinations()));
  }

  /** The element-wise maximum over in-arcs; 0 for vertices without any. */
  public Value max(Hop hop, Value x) {
    return add(new MaxAggregate(reach(hop, x), hop));
  }

  /** {@code a · x + b · y}, for the rows of the narrower depth of the two. */
  public Value combine(float a, Value x, float b, Value y) {
    Rows rows = x.rows().capacity() <= y.rows().capacity() ? x.rows() : y.rows();
    return add(
        new Combination(
            new Combination.Term(a, x), new Combination.Term(b, y), Value.of(rows, x.cols())));
  }

  /**
   * In place: {@code dropout(activation(x + bias))}. One pass over the rows, also where the bias
   * was added by the operation before.
   */
  public Value epilogue(Value x, @Nullable Parameter bias, Activation activation, float dropout) {
    if (bias == null && activation == Activation.NONE && dropout == 0) {
      return x;
    }
    if (bias == null
        && !ops.isEmpty()
        && ops.getLast() instanceof BiasActivationDropout last
        && last.output() == x
        && last.addsBiasOnly()) {
      ops.removeLast();
      return epilogue(last.input(), last.bias(), activation, dropout);
    }
    Value out = overwritable(x) ? Value.inPlaceOf(x) : Value.of(x.rows(), x.cols());
    return add(
        new BiasActivationDropout(x, out, bias, activation)
            .dropping(dropout, dropout > 0 ? nextDraw() : 0));
  }

  /** Attention needs its result for its gradient, and the caller's features are not ours. */
  private boolean overwritable(Value x) {
    return !x.external() && ops.stream().noneMatch(op -> op.output() == x && op.keepsOutput());
  }

  /** A copy of {@code x} with entries dropped. */
  public Value dropout(Value x, float rate) {
    if (rate == 0) {
      return x;
    }
    if (x.sparse() != null) {
      int draw = nextDraw();
      Value first = x.destinations();
      Value dropped = add(new SparseInputDropout(x, rate, draw));
      // The same draws, by row and column.
      return first == null
          ? dropped
          : dropped.withDestinations(add(new SparseInputDropout(first, rate, draw)));
    }
    Value copy = Value.of(x.rows(), x.cols());
    return add(
        new BiasActivationDropout(x, copy, null, Activation.NONE).dropping(rate, nextDraw()));
  }

  /** Layer normalisation of each row. */
  public Value layerNorm(Value x, Parameter gamma, Parameter beta) {
    return add(new LayerNormalisation(x, gamma, beta));
  }

  /** Batch normalisation of each column. */
  public Value batchNorm(Value x, BatchStatistics statistics) {
    return add(new BatchNormalisation(x, statistics));
  }

  /** Attention of Veličković et al. over the arcs of a hop. */
  public Value attention(Hop hop, Value x, GatScores scores) {
    return add(new GatAggregate(reach(hop, x), hop, scores, nextDraw()));
  }

  /** Attention of Brody et al. over the arcs of a hop. */
  public Value attention(Hop hop, Value left, Value right, Gatv2Scores scores) {
    var sides = new Gatv2Aggregate.Sides(reach(hop, left), right);
    return add(new Gatv2Aggregate(sides, hop, scores, nextDraw()));
  }

  /** The mean of the heads' columns: {@code rows × heads·width} to {@code rows × width}. */
  public Value meanOfHeads(Value x, Heads heads) {
    return add(new HeadMean(x, heads));
  }

  /** The program whose result is {@code output}. */
  public Program build(Value output) {
    return build(List.of(output));
  }

  /**
   * The program with several results. One that other operations read too, or a boundary that is
   * passed on, has the gradient that the caller writes and theirs added to it.
   */
  public Program build(List<Value> outputs) {
    return Program.of(Recording.of(ops, boundaries, outputs), options.recompute());
  }

  /** Parameters of what is recorded so far, in the order of their first use. */
  public List<Parameter> parameters() {
    return ops.stream().flatMap(op -> op.parameters().stream()).distinct().toList();
  }

  /** How many operations that draw are recorded so far, those counted that other programs have. */
  public int draws() {
    return draws;
  }

  /** Leaves numbers out: those of operations that another program has, which come before. */
  public void numberDrawsFrom(int first) {
    draws = first;
  }

  /** The rows of all sources of a hop, for who needs them all at once. */
  private Value reach(Hop hop, Value x) {
    FetchHalo fetch = fetch(hop, null, x);
    if (fetch == null) {
      return x;
    }
    fetch.readBy(/* inStages= */ false);
    return fetch.output();
  }

  /** The same for an aggregation, which can begin while some are under way. */
  private Sources sources(Hop hop, Normalisation normalisation, Value x) {
    if (hop.narrows()) {
      // Where the halo of a sample begins differs from step to step: nothing is cut there.
      return new Sources(reach(hop, x), null);
    }
    FetchHalo fetch = fetch(hop, normalisation, x);
    if (fetch == null) {
      return new Sources(x, null);
    }
    fetch.readBy(/* inStages= */ !options.halfWidth());
    return new Sources(fetch.output(), fetch);
  }

  /** What travels: others may be given sums, and these depend on how they are to be summed. */
  private record Reached(Hop hop, Value x, @Nullable Normalisation normalisation) {}

  /** What brings the rows that other workers have; none where there are none. */
  private @Nullable FetchHalo fetch(Hop hop, @Nullable Normalisation normalisation, Value x) {
    return fetch(hop, normalisation, x, x.rows());
  }

  private @Nullable FetchHalo fetch(
      Hop hop, @Nullable Normalisation normalisation, Value x, Rows own) {
    Halo halo = hop.halo();
    if (halo == null) {
      return null;
    }
    var what = new Reached(hop, x, normalisation);
    FetchHalo known = reached.get(what);
    if (known == null) {
      boolean once = x.constant() && options.foldConstants();
      var value = new Travelling(x.cols(), once, x.learnt(), hop.block(), normalisation);
      known = new FetchHalo(x, own, hop, halo, halo.passage(value));
      Value _ = add(known);
      reached.put(what, known);
    }
    return known;
  }

  private Value add(Op op) {
    ops.add(op);
    boolean learnt = !op.parameters().isEmpty() || op.inputs().stream().anyMatch(Value::learnt);
    boolean constant = !op.random() && !learnt && op.inputs().stream().allMatch(Value::constant);
    op.output()
        .derive(constant && options.foldConstants(), learnt, learnt && !options.forwardOnly());
    return op.output();
  }

  /**
   * Numbers the operations that draw, and only those: what else a placement adds to a program must
   * not change the draws.
   */
  private int nextDraw() {
    return draws++;
  }
}
