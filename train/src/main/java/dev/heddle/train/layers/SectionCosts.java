package dev.heddle.train.layers;

import dev.heddle.graph.Block;
import dev.heddle.graph.Graph;
import dev.heddle.graph.SelfLoops;
import dev.heddle.graph.partition.GraphPart;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Csr;
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
import dev.heddle.train.loop.Worker;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What each section of a model costs forward and back, by which the stages are cut: nanoseconds
 * over a chunk, as the first worker measures them for all, or as sizes have it.
 */
final class SectionCosts {
  /**
   * What decides how long a section takes: those of one size are measured once, which takes less
   * and cannot make layers that are alike differ by chance.
   */
  private record Size(int hops, Flow.Width in, Flow.Width out, List<Long> parameters) {
    static Size of(Outline outline) {
      List<Long> parameters = outline.parameters().stream().map(Parameter::count).toList();
      return new Size(outline.hops(), outline.in(), outline.out(), parameters);
    }
  }

  /** Runs of a section of which the fastest counts; the first ones still compile. */
  private static final int RUNS = 5;

  private SectionCosts() {}

  /**
   * Nanoseconds by section. What measuring takes is given back.
   *
   * @param chunks of which the first is measured
   */
  static long[] measure(Worker worker, Graph graph, Model model, Partition chunks) {
    long[] nanos = new long[model.sections()];
    try (Memory scratch = worker.memory().child()) {
      GraphPart part =
          chunks.parts() == 1 ? GraphPart.whole(graph) : GraphPart.of(graph, chunks, 0, scratch);
      Hop hop = hop(graph, part, model.spec().kind().selfLoops(), scratch);
      Map<Size, Long> known = new HashMap<>();
      for (int section = 0; section < nanos.length; section++) {
        int at = section;
        nanos[section] =
            known.computeIfAbsent(
                Size.of(model.outlines().get(section)),
                _ -> nanos(model, at, part, hop, worker.team(), scratch));
      }
    }
    model.parameters().all().forEach(Parameter::zeroGrad);
    return nanos;
  }

  /** A hop of a chunk; rows of others stay as they are, and degrees do not matter. */
  private static Hop hop(Graph graph, GraphPart part, boolean loops, Memory scratch) {
    Rows own = new Rows(part.vertices());
    if (part.parts() == 1) {
      return Hop.within(graph.block(scratch, loops), own);
    }
    Csr arcs = loops ? SelfLoops.added(scratch, part.in()) : part.in();
    Block block = Block.of(scratch, arcs);
    Matrix ones = Matrix.allocate(scratch, 1, part.sources());
    ones.fill(1);
    block.symmetricSource(ones.data());
    return Hop.across(block, new Rows(part.sources()), own, SILENCE);
  }

  /**
   * Costs as the sizes of sections have them, where the cut may not depend on what was measured:
   * multiplications of products, and what gathers along arcs read, which take ten times as long.
   */
  static long[] reckoned(Model model, Graph graph) {
    long[] costs = new long[model.sections()];
    for (int section = 0; section < costs.length; section++) {
      Outline outline = model.outlines().get(section);
      long parameters = outline.parameters().stream().mapToLong(Parameter::count).sum();
      long gathered = 10L * outline.hops() * graph.arcs() * outline.in().rows();
      costs[section] = graph.vertices() * parameters + gathered;
    }
    return costs;
  }

  private static long nanos(
      Model model, int section, GraphPart part, Hop hop, ThreadTeam team, Memory memory) {
    try (Memory scratch = memory.child()) {
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
      return best;
    }
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
