package dev.heddle.train.batch;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Letters;
import dev.heddle.graph.sample.NeededRows;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.train.pipeline.Lane;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fetches sparse rows: a request to each worker, and from each a letter that says how many values
 * every row has, then their columns, then the values.
 */
final class SparseFetch implements FeatureFetch {
  private final NeededRows rows;
  private final RowRequests requests;
  private final Letters answers;
  private final Csr own;
  private @Nullable Macrobatch cached;
  private final Lane lane;

  SparseFetch(Group group, NeededRows rows, Csr own, Memory memory, long mostBytes, Lane lane) {
    this.rows = rows;
    this.lane = lane;
    this.own = own;
    requests = new RowRequests(group, rows, memory, mostBytes, lane);
    answers = Letters.of(group, memory, Kind.FEATURE, mostBytes);
  }

  @Override
  public void cache(Macrobatch rowsKept) {
    cached = rowsKept;
  }

  @Override
  public void fetch(Macrobatch into) {
    for (int i = 0; i < requests.others(); i++) {
      requests.send(requests.peer(i));
    }
    for (int i = 0; i < requests.others(); i++) {
      int peer = requests.peer(i);
      answer(peer, requests.receive(peer), requests.asked());
    }
    SparseMacroRows target = into.sparse();
    MemorySegment offsets = target.offsets(rows.count());
    offsets.setAtIndex(JAVA_LONG, 0, 0);
    RowIds sources = rows.sources();
    for (int row = 0; row < rows.atHand(); row++) {
      offsets.setAtIndex(JAVA_LONG, row + 1L, atHand(row).degree(sources.at(row)));
    }
    for (int i = 0; i < requests.others(); i++) {
      int peer = requests.peer(i);
      lane.beginWait();
      long _ = answers.receive(peer);
      lane.end();
      for (int row = 0; row < rows.count(peer); row++) {
        int count = answers.received(peer).get(JAVA_INT, Letters.TEXT + 4L * row);
        offsets.setAtIndex(JAVA_LONG, rows.first(peer) + row + 1L, count);
      }
    }
    for (int row = 0; row < rows.count(); row++) {
      long next = offsets.getAtIndex(JAVA_LONG, row) + offsets.getAtIndex(JAVA_LONG, row + 1L);
      offsets.setAtIndex(JAVA_LONG, row + 1L, next);
    }
    Csr all = target.begin(rows.count());
    for (int row = 0; row < rows.atHand(); row++) {
      copy(atHand(row), sources.at(row), all.ids(), values(all), all.offset(row));
    }
    for (int i = 0; i < requests.others(); i++) {
      take(requests.peer(i), all);
    }
  }

  private static MemorySegment values(Csr csr) {
    return Objects.requireNonNull(csr.weights());
  }

  private void answer(int peer, int count, RowIds asked) {
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += own.degree(asked.at(i));
    }
    long bytes = Integer.BYTES * (count + total) + Float.BYTES * total;
    MemorySegment paper = answers.paper(peer, bytes);
    MemorySegment ids = paper.asSlice(Letters.TEXT + 4L * count, 4 * total);
    MemorySegment values = paper.asSlice(Letters.TEXT + 4 * (count + total), 4 * total);
    long at = 0;
    for (int i = 0; i < count; i++) {
      int row = asked.at(i);
      paper.set(JAVA_INT, Letters.TEXT + 4L * i, (int) own.degree(row));
      copy(own, row, ids, values, at);
      at += own.degree(row);
    }
    answers.send(peer, bytes);
  }

  /** Where a row of the list is that is at hand. */
  private Csr atHand(int row) {
    return row < rows.own() ? own : Objects.requireNonNull(cached).sparseFeatures();
  }

  private static void copy(Csr of, int row, MemorySegment ids, MemorySegment values, long at) {
    long from = of.offset(row);
    long bytes = 4 * of.degree(row);
    MemorySegment.copy(of.ids(), 4 * from, ids, 4 * at, bytes);
    MemorySegment.copy(values(of), 4 * from, values, 4 * at, bytes);
  }

  /** The rows of one worker lie next to each other. */
  private void take(int peer, Csr all) {
    int first = rows.first(peer);
    int count = rows.count(peer);
    long at = 4 * all.offset(first);
    long bytes = 4 * all.offset(first + count) - at;
    long from = Letters.TEXT + 4L * count;
    MemorySegment answer = answers.received(peer);
    MemorySegment.copy(answer, from, all.ids(), at, bytes);
    MemorySegment.copy(answer, from + bytes, values(all), at, bytes);
  }

  @Override
  public long bytes() {
    return requests.bytes() + answers.bytes();
  }

  @Override
  public void close() {
    requests.close();
    answers.close();
  }
}
