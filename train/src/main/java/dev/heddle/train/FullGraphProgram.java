package dev.heddle.train;

import dev.heddle.graph.Graph;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.Model;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Value;
import java.util.Collections;
import java.util.List;

/** A model over all vertices of a graph at once: one block, used for every hop. */
final class FullGraphProgram {
  private FullGraphProgram() {}

  static Program record(Graph graph, Model model, Recorder.Options options, Memory memory) {
    Rows vertices = new Rows(graph.vertices());
    Recorder r = new Recorder(options);
    Value x = r.input(vertices, TrainableGraph.features(graph));
    List<Hop> hops = List.of();
    if (model.hops() > 0) {
      Hop hop = Hop.within(graph.block(memory, model.spec().kind().selfLoops()), vertices);
      hops = Collections.nCopies(model.hops(), hop);
    }
    return r.build(model.record(r, hops, x));
  }
}
