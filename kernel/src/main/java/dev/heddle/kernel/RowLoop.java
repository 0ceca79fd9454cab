package dev.heddle.kernel;

/** A loop over rows, cut into blocks whose size does not depend on the number of threads. */
final class RowLoop {
  /** What is done with rows {@code from} to {@code to} (exclusive). */
  @FunctionalInterface
  interface Body {
    void run(int from, int to);
  }

  private final Body body;
  private final Task task = this::block;
  private int rows;

  RowLoop(Body body) {
    this.body = body;
  }

  void run(ThreadTeam team, int count) {
    rows = count;
    team.run(RowBlocks.tasks(count), task);
  }

  private void block(int index) {
    int from = index * RowBlocks.ROWS;
    body.run(from, from + Math.min(RowBlocks.ROWS, rows - from));
  }
}
