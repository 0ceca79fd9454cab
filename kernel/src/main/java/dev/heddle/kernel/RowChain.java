package dev.heddle.kernel;

import java.util.List;

/**
 * Does several things to rows, all of them to a block of rows before any to the next: the block
 * stays in the second-level cache from one to another, where each by itself would read and write
 * all rows in main memory. Cut by rows alone: the same bits for any number of threads.
 */
public final class RowChain {
  /** Rows of a block: three matrices of 128 columns are 768 KB. */
  private static final int BLOCK = 512;

  private final RowWork[] works;
  private final boolean sums;
  private final Task task = this::part;
  private int rows;

  /** A chain of works, in their order. */
  public RowChain(List<RowWork> works) {
    this.works = works.toArray(new RowWork[0]);
    sums = works.stream().anyMatch(RowWork::sums);
  }

  public void run(ThreadTeam team, int count) {
    rows = count;
    for (RowWork work : works) {
      work.begin(team, count);
    }
    int size = partRows();
    int parts = (int) ((count + size - 1L) / size);
    team.run(parts, task);
    for (RowWork work : works) {
      work.end(team, parts);
    }
  }

  /** Many small parts leave no thread waiting long for another's last. */
  private int partRows() {
    return sums ? RowBlocks.partRows(rows) : BLOCK;
  }

  private void part(int part) {
    int size = partRows();
    int first = part * size;
    int end = first + Math.min(size, rows - first);
    for (int row = first; row < end; row += BLOCK) {
      int to = Math.min(end, row + BLOCK);
      for (RowWork work : works) {
        work.rows(part, row, to);
      }
    }
  }
}
