package dev.heddle.train.batch;

import dev.heddle.graph.sample.GrowingBuffer;
import dev.heddle.graph.sample.MacroSampler;
import dev.heddle.graph.sample.SampledBatch;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import java.util.ArrayList;
import java.util.List;

/**
 * Several batches that are sampled and fetched together: their samples, the rows of features that
 * any of them needs, each once, and where among these the rows of each batch are found.
 */
public final class Macrobatch implements AutoCloseable {
  private final List<SampledBatch> batches = new ArrayList<>();
  private final List<GrowingBuffer> indices = new ArrayList<>();
  private final List<GrowingMatrix> features = new ArrayList<>();
  private final SparseMacroRows sparse;

  /** Room for so many batches, whose vertices have such features. */
  Macrobatch(MacroSampler sampler, int most, OwnFeatures like, Memory memory) {
    for (int k = 0; k < most; k++) {
      batches.add(sampler.newBatch(memory));
      indices.add(new GrowingBuffer(memory));
    }
    int width = 0;
    switch (like) {
      case OwnFeatures.Dense dense ->
          dense.columns().forEach(c -> features.add(new GrowingMatrix(memory, c.own().cols())));
      case OwnFeatures.Sparse of -> width = of.own().cols();
    }
    sparse = new SparseMacroRows(width, memory);
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
    return new RowIds(indices.get(number).segment());
  }

  List<GrowingBuffer> indices() {
    return indices;
  }

  /** Rows of a matrix that is spread over all workers. */
  public Matrix features(int matrix) {
    return features.get(matrix).matrix();
  }

  /** Rows of a sparse matrix that is spread over all workers. */
  public Csr sparseFeatures() {
    return sparse.rows();
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

  /** Bytes of memory that all this takes now. */
  public long bytes() {
    long sum = sparse.bytes();
    for (int k = 0; k < batches.size(); k++) {
      sum += batches.get(k).bytes() + indices.get(k).bytes();
    }
    for (GrowingMatrix matrix : features) {
      sum += matrix.bytes();
    }
    return sum;
  }

  /** Closes all but the samples, where others close these. */
  public void closeRows() {
    indices.forEach(GrowingBuffer::close);
    features.forEach(GrowingMatrix::close);
    sparse.close();
  }

  @Override
  public void close() {
    batches.forEach(SampledBatch::close);
    closeRows();
  }
}
