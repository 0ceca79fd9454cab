package dev.heddle.train.inference;

import dev.heddle.graph.Block;
import dev.heddle.graph.Graph;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.SourceOrder;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.TrainableGraph;
import dev.heddle.train.plan.ForwardPlan;
import dev.heddle.train.plan.MemoryNeed;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The first layers of a model over all vertices of a graph, without sampling: one operation after
 * another, each over all rows, so that no row is computed twice and only what the next operations
 * read is kept.
 *
 * <p>Where values and arcs fit into memory, they are there. Else they lie in files that the system
 * pages in and out: operations row by row go through them from front to back, and aggregations go
 * through their sources in the sources' order ({@link SourceOrder}). Attention and maxima fetch
 * rows where they lie. The operations are the same ones in the same order, and so are the bits.
 */
public final class ForwardPass {
  /** Kept for what is too small for files, or half of what there is; the rest is for sums. */
  private static final long KEPT_BYTES = 32 << 20;

  private static final long MOST_WORKING_BYTES = 8L << 30;

  private static final Recorder.Options FORWARD = new Recorder.Options(true, false, true);

  private final Program program;
  private final Space space;
  private final Step step = new Step(0).evaluate();

  /**
   * What a pass takes besides the graph and the model.
   *
   * @param bytes of values and of what is made of arcs
   * @param files whether these lie in files
   * @param working bytes of memory in which sums are made where they do
   */
  public record Space(long bytes, boolean files, long working) {}

  private ForwardPass(Program program, Space space) {
    this.program = program;
    this.space = space;
  }

  /**
   * Takes the space for a pass, or refuses before it takes any.
   *
   * @param layers how many of the model's sections are run
   * @param memory where everything lies, or if that is too little, what sums are made in
   * @param place where values may lie in files, and how they are aggregated there
   */
  public static ForwardPass of(
      Graph graph, Model model, int layers, Place place, Memory memory, ThreadTeam team) {
    Space space = space(ForwardPlan.of(graph, model, layers, FORWARD, memory), place, memory);
    Path folder = place.scratch();
    Memory values = space.files() && folder != null ? memory.childInFiles(folder) : memory;
    SourceOrder order =
        space.files() && !place.gathers() ? SourceOrder.within(memory, space.working()) : null;
    Rows rows = new Rows(graph.vertices());
    boolean loops = model.spec().kind().selfLoops();
    Program program =
        LocalGraph.record(
            model,
            layers,
            FORWARD,
            rows,
            TrainableGraph.features(graph),
            () -> Hop.within(block(graph, loops, values, order), rows));
    return new ForwardPass(program.allocate(values, team), space);
  }

  private static Block block(
      Graph graph, boolean loops, Memory memory, @Nullable SourceOrder order) {
    Block block = graph.block(memory, loops);
    if (order != null) {
      block.sourceOrder(order);
    }
    return block;
  }

  /**
   * Where values lie that exceed memory.
   *
   * @param scratch a folder on a disk; null where they must not exceed it
   * @param gathers whether aggregations fetch each row where it lies even so
   */
  public record Place(@Nullable Path scratch, boolean gathers) {
    public static final Place MEMORY = new Place(null, false);
  }

  private static Space space(MemoryNeed need, Place place, Memory memory) {
    long available = memory.available();
    if (need.bytes() <= available) {
      return new Space(need.bytes(), false, 0);
    }
    if (place.scratch() == null) {
      throw refusal(need.bytes(), available, "--scratch has it in files");
    }
    long kept = Math.min(available / 2, KEPT_BYTES);
    long working = Math.min(available - kept, MOST_WORKING_BYTES);
    if (working < SourceOrder.LEAST_BYTES) {
      throw refusal(2 * SourceOrder.LEAST_BYTES, available, "that is the least");
    }
    return new Space(need.bytes(), true, working);
  }

  private static IllegalArgumentException refusal(long needed, long available, String hint) {
    return new IllegalArgumentException(
        String.format(
            Locale.ROOT,
            "running the model over the graph needs %,.1f MB of memory or more, but may take %,.1f"
                + " MB: %s",
            needed / 1e6,
            available / 1e6,
            hint));
  }

  /** Runs; a row per vertex, overwritten by the next run. */
  public Matrix run() {
    program.forward(step);
    return program.output();
  }

  public Space space() {
    return space;
  }
}
