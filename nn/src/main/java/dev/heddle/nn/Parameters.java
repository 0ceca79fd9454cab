package dev.heddle.nn;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of one model, in the order layers ask for them.
 *
 * <p>Each is drawn by its place in that order and the seed alone, so that two runs of one model
 * begin alike whatever else they do.
 */
public final class Parameters {
  private final Memory memory;
  private final long seed;
  private final List<Parameter> all;
  private final Map<String, Matrix> statistics;
  private final String prefix;

  private Parameters(Parameters of, String prefix) {
    this.memory = of.memory;
    this.seed = of.seed;
    this.all = of.all;
    this.statistics = of.statistics;
    this.prefix = prefix;
  }

  public Parameters(Memory memory, long seed) {
    this.memory = memory;
    this.seed = seed;
    this.all = new ArrayList<>();
    this.statistics = new LinkedHashMap<>();
    this.prefix = "";
  }

  /** The same collection, with a name put before those of the parameters added through it. */
  public Parameters under(String name) {
    return new Parameters(this, prefix + name + ".");
  }

  /** A weight matrix drawn as Glorot & Bengio (2010) propose. */
  public Parameter weight(String name, int rows, int cols) {
    return add(name, rows, cols, Init.GLOROT_UNIFORM);
  }

  /** A row of zeros, to begin with. */
  public Parameter zeros(String name, int cols) {
    return add(name, 1, cols, Init.ZEROS);
  }

  /** A row of ones, to begin with. */
  public Parameter ones(String name, int cols) {
    return add(name, 1, cols, Init.ONES);
  }

  private Parameter add(String name, int rows, int cols, Init init) {
    Parameter parameter = Parameter.allocate(memory, prefix + name, rows, cols);
    parameter.initialise(init, seed, all.size());
    all.add(parameter);
    return parameter;
  }

  /** Adds what is not learnt but observed in training, and belongs to the model all the same. */
  void statistic(String name, Matrix value) {
    statistics.put(prefix + name, value);
  }

  /** All that makes the model what it is, by name: what is learnt, then what was observed. */
  public Map<String, Matrix> state() {
    Map<String, Matrix> state = new LinkedHashMap<>();
    all.forEach(p -> state.put(p.name(), p.value()));
    state.putAll(statistics);
    return state;
  }

  public List<Parameter> all() {
    return Collections.unmodifiableList(all);
  }

  /** How many numbers are learnt. */
  public long count() {
    return all.stream().mapToLong(Parameter::count).sum();
  }

  Memory memory() {
    return memory;
  }
}
