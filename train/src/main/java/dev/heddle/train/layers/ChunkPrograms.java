package dev.heddle.train.layers;

import dev.heddle.graph.partition.GraphPart;
import dev.heddle.kernel.LibraryPages;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowScatter;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.settings.TrainSettings;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A stage's sections over each of a worker's chunks: programs that are all alike and differ in
 * rows. They run forward chunk by chunk, each with the halo that {@link HistoryHalo} finds for it
 * at that moment; or all together phase by phase, which is the exact forward of the whole graph.
 * Rows come from the stage before and go to the stage after.
 */
final class ChunkPrograms implements AutoCloseable {
  private final HistoryHalo halo;
  private final ThreadTeam team;
  private final Program[] programs;
  private final @Nullable Boundary before;
  private final @Nullable Boundary after;
  private final @Nullable Loss[] losses;
  private final Matrix outputs;
  private final RowIds[] outputRows;
  private final RowScatter scatter = new RowScatter();
  private boolean constantsAreThere;
  private boolean started;
  private Watcher watcher = NOBODY;

  ChunkPrograms(
      LocalGraph local,
      StageModel stage,
      Place place,
      ChunkHops hops,
      HistoryHalo halo,
      TrainSettings settings) {
    this.halo = halo;
    team = local.worker().team();
    Memory memory = local.worker().memory();
    ChunkRows rows = halo.rows();
    programs = new Program[rows.chunks()];
    losses = new Loss[rows.chunks()];
    outputRows = new RowIds[rows.chunks()];
    var options =
        new Recorder.Options(settings.cacheConstants(), settings.halfWidth()).recomputing();
    List<StageModel.Recorded> recorded = new ArrayList<>();
    List<RowIds> ids = new ArrayList<>();
    for (int c = 0; c < programs.length; c++) {
      GraphPart part = rows.part(c);
      Hop hop = hops.of(c, halo.of(c));
      StageModel.Recorded made =
          stage.record(
              new Recorder(options), hop, () -> Objects.requireNonNull(part.features()), halo::at);
      programs[c] = made.program();
      recorded.add(made);
      ids.add(rows.ids(c));
    }
    allocate(memory);
    var codec = settings.knobs().codec().kind();
    // Both sides of a boundary make it at the same point of what the two of them do together.
    before =
        place.before() == null
            ? null
            : new Boundary(
                place.before(),
                false,
                recorded.stream().map(StageModel.Recorded::in).toList(),
                ids,
                codec,
                stage.stage() - 1,
                local.worker());
    after =
        place.after() == null
            ? null
            : new Boundary(
                place.after(),
                true,
                recorded.stream().map(StageModel.Recorded::out).toList(),
                ids,
                codec,
                stage.stage(),
                local.worker());
    if (stage.isLast()) {
      score(local, memory);
    }
    outputs = Matrix.allocate(memory, local.part().vertices(), local.shape().outputs());
  }

  /**
   * Programs run one at a time: what one needs only while it runs, others use too. What backward
   * needs stays for each.
   */
  private void allocate(Memory memory) {
    long most = 0;
    for (Program program : programs) {
      most = Math.max(most, program.passingBytes());
    }
    MemorySegment passing = memory.allocate(most);
    for (Program program : programs) {
      MemorySegment lasting = memory.allocate(program.lastingBytes());
      Program _ = program.allocateOver(lasting, passing, memory, team);
    }
  }

  /** The last stage has losses, and outputs in the order of the worker's rows. */
  private void score(LocalGraph local, Memory memory) {
    for (int c = 0; c < programs.length; c++) {
      GraphPart part = halo.rows().part(c);
      losses[c] =
          Loss.of(
              memory,
              Objects.requireNonNull(part.labels()),
              Objects.requireNonNull(part.split()).train(),
              local.trainVertices());
      int[] at =
          IntStream.range(0, part.vertices())
              .map(row -> local.part().rowOf(part.vertex(row)))
              .toArray();
      outputRows[c] = RowIds.of(memory, at);
    }
  }

  /** The exact forward of the whole graph: each layer of all chunks before the next. */
  void exactForward(Step step) {
    halo.progress().beginExact();
    if (before != null) {
      for (int chunk = 0; chunk < programs.length; chunk++) {
        before.expect(chunk, step);
      }
      for (int chunk = 0; chunk < programs.length; chunk++) {
        before.take(chunk);
      }
    }
    int phases = programs[0].phases();
    for (int phase = 0; phase < phases; phase++) {
      for (Program program : programs) {
        program.forward(step, phase);
      }
    }
    for (int chunk = 0; chunk < programs.length && after != null; chunk++) {
      after.send(chunk, step);
    }
    if (!constantsAreThere) {
      halo.constantsAreThere();
      constantsAreThere = true;
    }
  }

  /** Whether what never changes is made, which the first exact forward does. */
  boolean constantsAreThere() {
    return constantsAreThere;
  }

  /** Outputs of the exact forward for the worker's rows; a worker has some at the last stage. */
  Matrix outputs(Step step) {
    exactForward(step);
    if (losses[0] != null) {
      outputs.data().fill((byte) 0);
      for (int c = 0; c < programs.length; c++) {
        Matrix made = programs[c].output();
        scatter.run(team, made, outputRows[c], 0, made.rows(), 1, outputs);
      }
    }
    return outputs;
  }

  /** Is told of chunks as they go, for tests. */
  interface Watcher {
    /** A chunk is about to go forward, or back. */
    void begins(boolean forward, int chunk);

    /** It has gone. */
    void ended(boolean forward, int chunk);
  }

  private static final Watcher NOBODY =
      new Watcher() {
        @Override
        public void begins(boolean forward, int chunk) {}

        @Override
        public void ended(boolean forward, int chunk) {}
      };

  void watch(Watcher by) {
    watcher = by;
  }

  /** Goes forward chunk by chunk. */
  void forward(int[] order, Step step) {
    for (int i = 0; i < order.length && before != null; i++) {
      before.expect(order[i], step);
    }
    for (int chunk : order) {
      halo.progress().goForward(chunk);
      if (before != null) {
        before.take(chunk);
      }
      watcher.begins(true, chunk);
      programs[chunk].forward(step);
      watcher.ended(true, chunk);
      if (after != null) {
        after.send(chunk, step);
      }
    }
    giveBackLibraryPages();
  }

  /** After the first forward all values are in memory: what only starting has read need not be. */
  private void giveBackLibraryPages() {
    if (!started) {
      LibraryPages.giveBack();
      started = true;
    }
  }

  /** Goes back chunk by chunk, in the reverse order; returns the loss, which the last stage has. */
  double backward(int[] order, Step step) {
    halo.zeroGradients();
    for (int i = order.length - 1; i >= 0 && after != null; i--) {
      after.expectBack(order[i], step);
    }
    double sum = 0;
    for (int i = order.length - 1; i >= 0; i--) {
      int chunk = order[i];
      Program program = programs[chunk];
      Loss loss = losses[chunk];
      if (loss != null) {
        sum += loss.gradient(team, program.output(), program.outputGrad());
      } else if (after != null) {
        after.takeBack(chunk);
      }
      watcher.begins(false, chunk);
      program.backward(step);
      watcher.ended(false, chunk);
      halo.progress().goBack(chunk);
      if (before != null) {
        before.sendBack(chunk, step);
      }
    }
    return sum;
  }

  /** Adds how long rows travelled so far, to other stages and other ways. */
  void addTimesTo(long[] figures) {
    halo.addTimesTo(figures);
    if (before != null) {
      before.addTimesTo(figures);
    }
    if (after != null) {
      after.addTimesTo(figures);
    }
  }

  /** What a chunk's last forward came to. */
  Matrix output(int chunk) {
    return programs[chunk].output();
  }

  @Override
  public void close() {
    if (before != null) {
      before.close();
    }
    if (after != null) {
      after.close();
    }
    halo.close();
  }
}
