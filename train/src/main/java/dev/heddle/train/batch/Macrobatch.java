package dev.heddle.train.batch;

import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.graph.sample.Sampler;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import java.util.ArrayList;
import java.util.List;

/**
 * Several batches that are sampled and fetched together: their samples, the rows of features that
 * any of them needs, each once, and where among these the rows of each batch are found. Where all
 * features are at hand, nothing is fetched: rows are then found by their vertices.
 */
public final class Macrobatch implements AutoCloseable {
  private final Memory memory;
  private final OwnFeatures own;
  private final boolean fetched;
  private final List<Memory> ofBatches = new ArrayList<>();
  private final List<SampledBatch> batches = new ArrayList<>();
  private final List<GrowingBuffer> indices = new ArrayList<>();
  private final Memory ofRows;
  private final List<GrowingMatrix> features = new ArrayList<>();
  private final SparseMacroRows sparse;

  /**
   * Room for so many batches.
   *
   * @param own what this worker has of the features
   * @param fetched whether rows of features are fetched
   */
  Macrobatch(Sampler sampler, int most, OwnFeatures own, boolean fetched, Memory parent) {
    this.own = own;
    this.fetched = fetched;
    memory = parent.child();
    for (int k = 0; k < most; k++) {
      Memory ofBatch = memory.child();
      ofBatches.add(ofBatch);
      batches.add(sampler.newBatch(ofBatch));
      indices.add(new GrowingBuffer(ofBatch));
    }
    ofRows = memory.child();
    int width = 0;
    switch (own) {
      case OwnFeatures.Dense dense -> {
        for (OwnFeatures.Column column :
            fetched ? dense.columns() : List.<OwnFeatures.Column>of()) {
          features.add(new GrowingMatrix(ofRows, column.own().cols()));
        }
      }
      case OwnFeatures.Sparse rows -> width = rows.own().cols();
    }
    sparse = new SparseMacroRows(width, ofRows);
  }

  /** The most batches that there is room for. */
  public int size() {
    return batches.size();
  }

  /** One of the batches. */
  public SampledBatch batch(int number) {
    return batches.get(number);
  }

  List<SampledBatch> batches(int count) {
    return batches.subList(0, count);
  }

  /** The row of {@link #features} for each row of a batch. */
  public RowIds index(int number) {
    SampledBatch batch = batches.get(number);
    return fetched ? new RowIds(indices.get(number).segment()) : batch.ids(batch.hops());
  }

  List<GrowingBuffer> indices() {
    return indices;
  }

  /** Rows of one of the matrices that features consist of. */
  public Matrix features(int matrix) {
    return fetched
        ? features.get(matrix).matrix()
        : ((OwnFeatures.Dense) own).columns().get(matrix).own();
  }

  /** Rows of sparse features. */
  public Csr sparseFeatures() {
    return fetched ? sparse.rows() : ((OwnFeatures.Sparse) own).own();
  }

  SparseMacroRows sparse() {
    return sparse;
  }

  /** All matrices with room for so many rows. */
  List<Matrix> require(int rows) {
    List<Matrix> matrices = new ArrayList<>();
    for (GrowingMatrix matrix : features) {
      matrices.add(matrix.require(rows));
    }
    return matrices;
  }

  /** Changes whenever something of a batch, or of the rows, lies elsewhere than before. */
  long allocations(int number) {
    return ofBatches.get(number).allocations() + ofRows.allocations();
  }

  /** Bytes of memory that all this takes now. */
  public long bytes() {
    return memory.bytes();
  }

  @Override
  public void close() {
    memory.close();
  }
}
