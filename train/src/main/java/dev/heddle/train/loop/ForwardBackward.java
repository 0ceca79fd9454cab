package dev.heddle.train.loop;

import dev.heddle.kernel.LibraryPages;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Step;

/** Forward, loss and backward of one program: what most steps are. */
public final class ForwardBackward {
  private boolean started;

  /** Adds to the parameters' gradients, and returns the loss. */
  public double run(Program program, Loss loss, ThreadTeam team, Step at) {
    program.forward(at);
    giveBackLibraryPages();
    double value = loss.gradient(team, program.output(), program.outputGrad());
    program.backward(at);
    return value;
  }

  /** After the first forward all values are in memory: what only starting has read need not be. */
  private void giveBackLibraryPages() {
    if (!started) {
      LibraryPages.giveBack();
      started = true;
    }
  }
}
