package dev.heddle.train.layers;

import dev.heddle.kernel.LibraryPages;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.RowScatter;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Step;
import dev.heddle.train.loop.LocalGraph;
import dev.heddle.train.loop.Loss;
import dev.heddle.train.settings.TrainSettings;
import java.util.Collections;
import java.util.Objects;

/**
 * The model over each of a worker's chunks: programs that are all alike and differ in rows. They
 * run forward chunk by chunk, each with the halo that {@link HistoryHalo} finds for it at that
 * moment; or all together phase by phase, which is the exact forward of the whole graph.
 */
final class ChunkPrograms {
  private final HistoryHalo halo;
  private final Chunks chunks;
  private final ThreadTeam team;
  private final Program[] programs;
  private final Loss[] losses;
  private final Matrix outputs;
  private final RowIds[] outputRows;
  private final RowScatter scatter = new RowScatter();
  private boolean constantsAreThere;
  private boolean started;

  ChunkPrograms(
      LocalGraph local, Model model, Chunks chunks, HistoryHalo halo, TrainSettings settings) {
    this.halo = halo;
    this.chunks = chunks;
    team = local.worker().team();
    Memory memory = local.worker().memory();
    ChunkRows rows = halo.rows();
    programs = new Program[rows.chunks()];
    losses = new Loss[rows.chunks()];
    outputRows = new RowIds[rows.chunks()];
    var options = new Recorder.Options(settings.cacheConstants(), settings.halfWidth());
    boolean loops = model.spec().kind().selfLoops();
    ChunkHops hops = ChunkHops.of(local.whole(), halo, loops, memory);
    for (int c = 0; c < programs.length; c++) {
      var part = rows.part(c);
      Hop hop = hops.of(c);
      Recorder r = new Recorder(options);
      var x = r.input(hop.destinations(), Objects.requireNonNull(part.features()));
      Program program = r.build(model.record(r, Collections.nCopies(model.hops(), hop), x));
      programs[c] = program.allocate(memory, team);
      losses[c] =
          Loss.of(
              memory,
              Objects.requireNonNull(part.labels()),
              Objects.requireNonNull(part.split()).train(),
              local.trainVertices());
      int[] at = new int[part.vertices()];
      for (int row = 0; row < at.length; row++) {
        at[row] = local.part().rowOf(part.vertex(row));
      }
      outputRows[c] = RowIds.of(memory, at);
    }
    outputs = Matrix.allocate(memory, local.part().vertices(), local.shape().outputs());
  }

  /** The exact forward of the whole graph: each layer of all chunks before the next. */
  void exactForward(Step step) {
    halo.progress().beginExact();
    int phases = programs[0].phases();
    for (int phase = 0; phase < phases; phase++) {
      for (Program program : programs) {
        program.forward(step, phase);
      }
    }
    if (!constantsAreThere) {
      halo.constantsAreThere();
      constantsAreThere = true;
    }
  }

  /** Outputs of the exact forward for all of the worker's rows. */
  Matrix outputs(Step step) {
    exactForward(step);
    outputs.data().fill((byte) 0);
    for (int c = 0; c < programs.length; c++) {
      Matrix made = programs[c].output();
      scatter.run(team, made, outputRows[c], 0, made.rows(), 1, outputs);
    }
    return outputs;
  }

  /** Goes forward chunk by chunk. */
  void forward(int[] order, Step step) {
    for (int chunk : order) {
      halo.progress().goForward(chunk);
      programs[chunk].forward(step);
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

  /** Goes back chunk by chunk, in the reverse order; returns the loss. */
  double backward(int[] order, Step step) {
    halo.zeroGradients();
    double sum = 0;
    for (int i = order.length - 1; i >= 0; i--) {
      int chunk = order[i];
      Program program = programs[chunk];
      sum += losses[chunk].gradient(team, program.output(), program.outputGrad());
      program.backward(step);
      halo.progress().goBack(chunk);
    }
    return sum;
  }

  /** What a chunk's last forward came to. */
  Matrix output(int chunk) {
    return programs[chunk].output();
  }

  /** The order of an epoch's forward. */
  int[] order(int epoch) {
    return chunks.order(epoch);
  }
}
