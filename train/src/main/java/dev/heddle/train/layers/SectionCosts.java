package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Flow;
import dev.heddle.nn.Model;
import dev.heddle.nn.Outline;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.program.Halo;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Passage;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Travelling;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Seconds that each section of a model takes forward and back over a chunk, as the first worker
 * measures them for all: the stages are cut by them.
 */
final class SectionCosts {
  /** Runs of a section of which the fastest counts; the first ones still compile. */
  private static final int RUNS = 5;

  private SectionCosts() {}

  /** Costs by section; all workers call it and get the same. */
  static double[] measure(
      Group group, Model model, ChunkRows rows, ChunkHops hops, ThreadTeam team, Memory memory) {
    double[] seconds = new double[model.sections()];
    if (group.rank() == 0) {
      for (int section = 0; section < seconds.length; section++) {
        try (Memory scratch = memory.child()) {
          seconds[section] =
              seconds(model, section, rows.part(0), hops.of(0, SILENCE), team, scratch);
        }
      }
      model.parameters().all().forEach(Parameter::zeroGrad);
    }
    group.sum(seconds);
    return seconds;
  }

  /**
   * Costs as the sizes of sections have them, where the cut may not depend on what was measured:
   * multiplications of products, and what gathers along arcs read, which take ten times as long.
   */
  static double[] reckoned(Model model, Graph graph) {
    double[] costs = new double[model.sections()];
    for (int section = 0; section < costs.length; section++) {
      Outline outline = model.outlines().get(section);
      long parameters = outline.parameters().stream().mapToLong(Parameter::count).sum();
      double gathered = 10.0 * outline.hops() * graph.arcs() * outline.in().rows();
      costs[section] = (double) graph.vertices() * parameters + gathered;
    }
    return costs;
  }

  private static double seconds(
      Model model, int section, GraphPart part, Hop hop, ThreadTeam team, Memory scratch) {
    Recorder r = new Recorder(Recorder.Options.DEFAULT);
    Rows rows = hop.destinations();
    Outline outline = model.outlines().get(section);
    Flow in =
        section == 0
            ? Flow.of(r.input(rows, Objects.requireNonNull(part.features())))
            : model.boundary(r, section, rows);
    List<Hop> taken = Collections.nCopies(outline.hops(), hop);
    Flow out = model.record(r, section, section + 1, taken, in);
    Program program = r.build(out.values()).allocate(scratch, team);
    Step step = new Step(0).train(1, 0);
    long best = Long.MAX_VALUE;
    for (int run = 0; run < RUNS; run++) {
      long began = System.nanoTime();
      program.forward(step);
      out.values().forEach(value -> value.grad().data().fill((byte) 0));
      program.backward(step);
      // What is made once and kept is no cost of an epoch.
      best = run == 0 ? best : Math.min(best, System.nanoTime() - began);
    }
    return best * 1e-9;
  }

  /** Nobody has anything to say while costs are measured. */
  private static final Halo SILENCE =
      new Halo() {
        @Override
        public Passage passage(Travelling value) {
          return NOTHING;
        }

        @Override
        public int central() {
          return 0;
        }

        @Override
        public boolean overlaps() {
          return false;
        }
      };

  private static final Passage NOTHING =
      new Passage() {
        @Override
        public void start(ThreadTeam team, Matrix rows, Step step) {}

        @Override
        public void finish(ThreadTeam team) {}

        @Override
        public void startBack(ThreadTeam team, Matrix gradient, Step step) {}

        @Override
        public void finishBack(ThreadTeam team) {}
      };
}
