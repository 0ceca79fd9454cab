package dev.heddle.train.batch;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.Letters;
import dev.heddle.comm.Parcels;
import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.graph.sample.MacroRows;
import dev.heddle.graph.sample.NeighbourSampler;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.RowGather;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.Workers;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fetches the listed rows of matrices that are spread over all workers: a request to each, and of
 * each matrix a message from each with nothing in it but rows. Rows that need no padding are
 * received in their place.
 */
final class FeatureRelay implements AutoCloseable {
  private final Group group;
  private final Workers workers;
  private final MacroRows rows;
  private final Letters requests;
  private final GrowingBuffer asked;
  private final List<Column> columns = new ArrayList<>();
  private final RowGather gather = new RowGather();

  /**
   * A relay of a group that nobody else uses at the same time.
   *
   * @param rows the list of what is fetched
   * @param own what this worker has of each matrix
   */
  FeatureRelay(
      Group group, MacroRows rows, List<Matrix> own, NeighbourSampler.Place place, long mostBytes) {
    this.group = group;
    this.rows = rows;
    workers = place.workers();
    requests = Letters.of(group, place.memory(), Kind.FEATURE_REQUEST, mostBytes);
    asked = new GrowingBuffer(place.memory());
    for (Matrix matrix : own) {
      Parcels parcels = Parcels.of(group, Kind.FEATURE, mostBytes);
      columns.add(new Column(group.size(), matrix, parcels, place));
    }
  }

  /** One of the matrices. */
  private static final class Column {
    private final Matrix own;
    private final Parcels parcels;
    private final List<PackedRows> out = new ArrayList<>();
    private final List<PackedRows> in = new ArrayList<>();

    Column(int workers, Matrix own, Parcels parcels, NeighbourSampler.Place place) {
      this.own = own;
      this.parcels = parcels;
      for (int worker = 0; worker < workers; worker++) {
        out.add(new PackedRows(own.cols(), place));
        in.add(new PackedRows(own.cols(), place));
      }
    }

    /** Whether rows lie in a matrix as they travel. */
    boolean inPlace() {
      return own.stride() == own.cols();
    }

    void expect(int peer, Matrix target, int first, int count) {
      long bytes = (long) count * own.cols() * Float.BYTES;
      if (inPlace()) {
        parcels.receive(peer, target.data(), target.offset(first), bytes);
      } else {
        parcels.receive(peer, in.get(peer).require(count), 0, bytes);
      }
    }

    void send(int peer, RowIds chosen, int count) {
      parcels.awaitSent(peer);
      MemorySegment packed = out.get(peer).pack(own, chosen, count);
      parcels.send(peer, packed, 0, (long) count * own.cols() * Float.BYTES);
    }

    void take(int peer, Matrix target, int first, int count) {
      parcels.awaitReceived(peer);
      if (!inPlace()) {
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
      out.forEach(PackedRows::close);
      in.forEach(PackedRows::close);
    }
  }

  /**
   * Fetches the rows that are listed now.
   *
   * @param cached what the cache has of each matrix; empty where there is none
   * @param targets take the rows of the list, of each matrix
   */
  void fetch(List<Matrix> cached, List<Matrix> targets) {
    int others = group.size() - 1;
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      MemorySegment paper = requests.paper(peer, rows.mostRequestBytes(peer));
      requests.send(peer, rows.writeRequest(peer, paper, Letters.TEXT));
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).expect(peer, targets.get(c), rows.first(peer), rows.count(peer));
      }
    }
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      long bytes = requests.receive(peer);
      int count = rows.readRequest(requests.received(peer), Letters.TEXT, bytes, asked);
      RowIds chosen = new RowIds(asked.segment());
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).send(peer, chosen, count);
      }
    }
    for (int c = 0; c < columns.size(); c++) {
      gatherAtHand(columns.get(c).own, cached.isEmpty() ? null : cached.get(c), targets.get(c));
    }
    for (int i = 0; i < others; i++) {
      int peer = peer(i);
      for (int c = 0; c < columns.size(); c++) {
        columns.get(c).take(peer, targets.get(c), rows.first(peer), rows.count(peer));
      }
    }
  }

  private void gatherAtHand(Matrix own, @Nullable Matrix cached, Matrix target) {
    gather.run(workers, own, rows.sources(), rows.own(), target);
    int fromCache = rows.atHand() - rows.own();
    if (cached != null && fromCache > 0) {
      RowIds chosen = new RowIds(rows.sources().values().asSlice(4L * rows.own()));
      gather.run(workers, cached, chosen, fromCache, target.slice(rows.own(), rows.atHand()));
    }
  }

  private int peer(int i) {
    return (group.rank() + 1 + i) % group.size();
  }

  long bytes() {
    long sum = requests.bytes() + asked.bytes();
    for (Column column : columns) {
      sum += column.bytes();
    }
    return sum;
  }

  @Override
  public void close() {
    requests.close();
    columns.forEach(c -> c.close(group.size(), group.rank()));
    asked.close();
  }
}
