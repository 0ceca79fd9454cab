package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Parcels;
import dev.heddle.graph.sample.NeededRows;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PagedRows;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.train.pipeline.Lane;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fetches dense rows: a request to each worker, and of each matrix a message from each with nothing
 * in it but rows, in the form that its column has. Those that lie in memory as they travel are
 * received in their place.
 */
final class DenseFetch implements FeatureFetch {
  private final int workerCount;
  private final int rank;
  private final ThreadTeam team;
  private final NeededRows rows;
  private @Nullable Macrobatch cached;
  private final RowRequests requests;
  private final List<Column> columns = new ArrayList<>();
  private final RowGather gather = new RowGather();
  private final Lane lane;

  DenseFetch(
      Group group,
      NeededRows rows,
      OwnFeatures.Dense features,
      ThreadTeam team,
      Memory memory,
      long mostBytes,
      Lane lane) {
    this.lane = lane;
    workerCount = group.size();
    rank = group.rank();
    this.rows = rows;
    this.team = team;
    requests = new RowRequests(group, rows, memory, mostBytes, lane);
    for (OwnFeatures.Column column : features.columns()) {
      Parcels parcels = Parcels.of(group, Kind.FEATURE, mostBytes);
      PagedRows paged = features.paged() ? PagedRows.of(column.own()) : null;
      columns.add(new Column(new Own(column, paged), parcels, group.size(), team, memory));
    }
  }

  /**
   * What this worker has.
   *
   * @param paged if it lies in a file
   */
  private record Own(OwnFeatures.Column column, @Nullable PagedRows paged) {
    /** Where the rows end that are worked on next, of a list: see {@link PagedRows#stretch}. */
    int stretch(RowIds rows, int from, int count) {
      return paged == null ? count : paged.stretch(rows, from, count);
    }
  }

  /** One of the matrices. */
  private static final class Column {
    private final Own source;
    private final Matrix own;
    private final RowForm form;
    private final Parcels parcels;
    private final List<PackedRows> out = new ArrayList<>();
    private final List<PackedRows> in = new ArrayList<>();

    Column(Own source, Parcels parcels, int workers, ThreadTeam team, Memory memory) {
      this.source = source;
      own = source.column.own();
      form = source.column.form();
      this.parcels = parcels;
      for (int worker = 0; worker < workers; worker++) {
        out.add(new PackedRows(form, own.cols(), team, memory));
        in.add(new PackedRows(form, own.cols(), team, memory));
      }
    }

    void expect(int peer, Matrix target, int first, int count) {
      PackedRows packed = in.get(peer);
      if (form.liesIn(target)) {
        parcels.receive(peer, target.data(), target.offset(first), packed.bytes(count));
      } else {
        parcels.receive(peer, packed.require(count), 0, packed.bytes(count));
      }
    }

    void send(int peer, RowIds chosen, int count) {
      parcels.awaitSent(peer);
      PackedRows packed = out.get(peer);
      MemorySegment bytes = packed.require(count);
      for (int from = 0, to; from < count; from = to) {
        to = source.stretch(chosen, from, count);
        packed.pack(own, chosen, from, to);
      }
      parcels.send(peer, bytes, 0, packed.bytes(count));
    }

    void take(int peer, Matrix target, int first, int count) {
      if (!form.liesIn(target)) {
        in.get(peer).unpack(target, first, count);
      }
    }

    long bytes() {
      long sum = 0;
      for (int i = 0; i < out.size(); i++) {
        sum += out.get(i).bytes() + in.get(i).bytes();
      }
      return sum;
    }

    void close(int workers, int rank) {
      for (int peer = 0; peer < workers; peer++) {
        if (peer != rank) {
          parcels.awaitSent(peer);
        }
      }
    }
  }

  @Override
  public void cache(Macrobatch rowsKept) {
    cached = rowsKept;
  }

  @Override
  public void fetch(Macrobatch into) {
    List<Matrix> targets = into.require(rows.count());
    for (int i = 0; i < requests.others(); i++) {
      int peer = requests.peer(i);
      requests.send(peer);
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).expect(peer, targets.get(c), rows.first(peer), rows.count(peer));
      }
    }
    for (int i = 0; i < requests.others(); i++) {
      int peer = requests.peer(i);
      int count = requests.receive(peer);
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).send(peer, requests.asked(), count);
      }
    }
    for (int c = 0; c < columns.size(); c++) {
      gatherOwn(columns.get(c).source, targets.get(c));
      gatherCached(cached == null ? null : cached.features(c), targets.get(c));
    }
    for (int i = 0; i < requests.others(); i++) {
      int peer = requests.peer(i);
      for (int c = 0; c < columns.size(); c++) {
        lane.beginWait();
        columns.get(c).parcels.awaitReceived(peer);
        lane.end();
        columns.get(c).take(peer, targets.get(c), rows.first(peer), rows.count(peer));
      }
    }
  }

  private void gatherOwn(Own source, Matrix target) {
    RowIds chosen = rows.sources();
    for (int from = 0, to; from < rows.own(); from = to) {
      to = source.stretch(chosen, from, rows.own());
      gather.run(team, source.column.own(), chosen, from, to, target);
    }
  }

  private void gatherCached(@Nullable Matrix cache, Matrix target) {
    int fromCache = rows.atHand() - rows.own();
    if (cache != null && fromCache > 0) {
      RowIds chosen = new RowIds(rows.sources().values().asSlice(4L * rows.own()));
      gather.run(team, cache, chosen, fromCache, target.slice(rows.own(), rows.atHand()));
    }
  }

  @Override
  public long bytes() {
    long sum = requests.bytes();
    for (Column column : columns) {
      sum += column.bytes();
    }
    return sum;
  }

  @Override
  public void close() {
    requests.close();
    columns.forEach(c -> c.close(workerCount, rank));
  }
}
