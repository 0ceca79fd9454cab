package dev.heddle.nn;

import dev.heddle.graph.Block;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What is known of a section before anything runs: enough to place its parameters and to reckon
 * what it costs. It is read off a recording over a graph of one vertex, so that no section has to
 * say what its computation shows.
 *
 * @param hops of message passing
 * @param in columns that come in
 * @param out columns that go out
 * @param parameters in the order of their first use
 * @param draws how many of its operations draw
 */
public record Outline(
    int hops, Flow.Width in, Flow.Width out, List<Parameter> parameters, int draws) {
  public Outline {
    parameters = List.copyOf(parameters);
  }

  /** The names of its parameters. */
  public List<String> names() {
    return parameters.stream().map(Parameter::name).toList();
  }

  /** Of all sections of a model in their order. */
  static List<Outline> of(List<Section> sections, int features, Memory memory) {
    try (Memory scratch = memory.child()) {
      Rows rows = new Rows(1);
      Hop hop = Hop.within(Block.of(scratch, Csr.of(scratch, 1, new int[1][0])), rows);
      List<Outline> outlines = new ArrayList<>();
      Flow.Width in = new Flow.Width(features, 0);
      for (Section section : sections) {
        Recorder r = new Recorder(Recorder.Options.DEFAULT);
        List<Hop> hops = Collections.nCopies(section.hops(), hop);
        Flow.Width out = section.record(r, hops, boundary(r, in, rows)).width();
        outlines.add(new Outline(section.hops(), in, out, r.parameters(), r.draws()));
        in = out;
      }
      return List.copyOf(outlines);
    }
  }

  /** What comes into a section from a program that has those before it. */
  static Flow boundary(Recorder r, Flow.Width width, Rows rows) {
    return new Flow(
        r.boundary(rows, width.rows()),
        width.initial() == 0 ? null : r.boundary(rows, width.initial()));
  }
}
