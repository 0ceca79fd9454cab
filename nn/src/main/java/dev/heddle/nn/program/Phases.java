package dev.heddle.nn.program;

import dev.heddle.kernel.ThreadTeam;
import java.util.ArrayList;
import java.util.List;

/**
 * A forward that is cut wherever rows set out for other workers: a phase ends with {@link
 * Pass#forward} of an operation that {@link Op#endsPhase}, and the next begins with its {@link
 * Pass#arrive}.
 */
final class Phases {
  private final Stretch.Run[][] runs;

  private Phases(Stretch.Run[][] runs) {
    this.runs = runs;
  }

  static Phases of(List<Op> ops, List<Stretch> stretches, Pass[] passes, ThreadTeam team) {
    List<Stretch.Run[]> phases = new ArrayList<>();
    List<Stretch.Run> phase = new ArrayList<>();
    for (Stretch stretch : stretches) {
      phase.add(stretch.forward(passes, team));
      if (ops.get(stretch.from()).endsPhase()) {
        phases.add(phase.toArray(Stretch.Run[]::new));
        phase.clear();
        Pass underWay = passes[stretch.from()];
        phase.add(_ -> underWay.arrive());
      }
    }
    phases.add(phase.toArray(Stretch.Run[]::new));
    return new Phases(phases.toArray(Stretch.Run[][]::new));
  }

  void run(int phase, Step step) {
    for (Stretch.Run run : runs[phase]) {
      run.run(step);
    }
  }
}
