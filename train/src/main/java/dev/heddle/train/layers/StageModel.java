package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.graph.Features;
import dev.heddle.nn.Flow;
import dev.heddle.nn.Model;
import dev.heddle.nn.Outline;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import dev.heddle.train.loop.ParameterPlacement;
import dev.heddle.train.loop.ParameterPlacement.Share;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The sections of a model that one stage has. What later sections need of the first one besides
 * rows (GCNII's h⁰) is handed on with the rows, or made anew at each stage from the features.
 *
 * @param makesInitial whether it is made anew
 */
public record StageModel(Model model, StageCut cut, int stage, boolean makesInitial) {
  /** A program of a stage over some rows, and what crosses its ends. */
  public record Recorded(Program program, List<Value> in, List<Value> out) {}

  /** Whether it has the features. */
  public boolean isFirst() {
    return stage == 0;
  }

  /** Whether it has the outputs. */
  public boolean isLast() {
    return stage == cut.stages() - 1;
  }

  private int from() {
    return cut.from(stage);
  }

  private int to() {
    return cut.to(stage);
  }

  /** Columns of what comes in besides rows. */
  private int initialIn() {
    return isFirst() ? 0 : model.outlines().get(from()).in().initial();
  }

  /** Whether it reads features, be it to make anew what its sections need of the first one. */
  public boolean readsFeatures() {
    return isFirst() || (makesInitial && initialIn() > 0);
  }

  /**
   * Records the sections.
   *
   * @param features of the rows, asked for where they are read
   * @param at is told of each section before it is recorded
   */
  public Recorded record(Recorder r, Hop hop, Supplier<Features> features, IntConsumer at) {
    Rows rows = hop.destinations();
    Flow in;
    List<Value> comes = List.of();
    if (isFirst()) {
      in = Flow.of(r.input(rows, features.get()));
    } else if (initialIn() > 0 && makesInitial) {
      Flow first = model.record(r, 0, 1, List.of(), Flow.of(r.input(rows, features.get())));
      Value handed = r.boundary(rows, model.outlines().get(from()).in().rows());
      comes = List.of(handed);
      in = new Flow(handed, first.start());
    } else {
      in = model.boundary(r, from(), rows);
      comes = in.values();
    }
    Flow out = in;
    for (int section = from(); section < to(); section++) {
      at.accept(section);
      int hops = model.outlines().get(section).hops();
      out = model.record(r, section, section + 1, Collections.nCopies(hops, hop), out);
    }
    List<Value> goes = isLast() || makesInitial ? List.of(out.rows()) : out.values();
    return new Recorded(r.build(goes), comes, goes);
  }

  /** Which parameters are here, and with whom their gradients are summed. */
  ParameterPlacement placement(Group everyone, Group ofStage, int ways) {
    List<Outline> outlines = model.outlines();
    List<Parameter> all = model.parameters().all();
    Set<Parameter> shared =
        makesInitial ? new HashSet<>(outlines.getFirst().parameters()) : Set.of();
    int[] owners = new int[all.size()];
    Set<Parameter> here = new HashSet<>();
    for (int section = outlines.size() - 1; section >= 0; section--) {
      for (Parameter parameter : outlines.get(section).parameters()) {
        owners[all.indexOf(parameter)] = cut.stageOf(section) * ways;
        if (section >= from() && section < to() && !shared.contains(parameter)) {
          here.add(parameter);
        }
      }
    }
    List<Share> shares = new ArrayList<>();
    shares.add(new Share(all.stream().filter(shared::contains).toList(), everyone));
    shares.add(new Share(all.stream().filter(here::contains).toList(), ofStage));
    return ParameterPlacement.byStage(model, everyone, shares, owners);
  }

  @Override
  public String toString() {
    return "StageModel[" + stage + " of " + Arrays.toString(cut.toArray()) + "]";
  }
}
