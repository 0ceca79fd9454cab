package dev.heddle.graph.store;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.ClassLabels;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.graph.Features;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Labels;
import dev.heddle.graph.MultiLabels;
import dev.heddle.graph.RealLabels;
import dev.heddle.graph.SparseFeatures;
import dev.heddle.graph.Split;
import dev.heddle.graph.Transpose;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Whether two graphs hold the same, bit for bit. */
public final class GraphAssert {
  private GraphAssert() {}

  public static void same(Graph actual, Graph expected) {
    assertThat(actual.name()).isEqualTo(expected.name());
    assertThat(CsrArrays.same(actual.in(), expected.in())).isTrue();
    try (Memory memory = new Memory()) {
      Csr out = Transpose.of(memory, expected.in());
      assertThat(CsrArrays.same(requireNonNull(actual.out()), out)).isTrue();
    }
    same(actual.features(), expected.features());
    assertThat(actual.classNames()).isEqualTo(expected.classNames());
    ArcTypes types = expected.arcTypes();
    if (types == null) {
      assertThat(actual.arcTypes()).isNull();
    } else {
      ArcTypes read = requireNonNull(actual.arcTypes());
      assertThat(read.names()).isEqualTo(types.names());
      long bytes = types.arcs() * Short.BYTES;
      assertThat(MemorySegment.mismatch(read.values(), 0, bytes, types.values(), 0, bytes))
          .isEqualTo(-1);
    }
    same(actual.labels(), expected.labels());
    Split split = expected.split();
    if (split == null) {
      assertThat(actual.split()).isNull();
    } else {
      Split read = requireNonNull(actual.split());
      assertThat(read.train()).isEqualTo(split.train());
      assertThat(read.valid()).isEqualTo(split.valid());
      assertThat(read.test()).isEqualTo(split.test());
    }
    for (int v = 0; v < expected.vertices(); v++) {
      String id = expected.idOf(v);
      if (!actual.idOf(v).equals(id) || actual.vertexOf(id) != v) {
        assertThat(actual.idOf(v)).as("vertex %d", v).isEqualTo(id + " found at " + v);
      }
    }
    assertThat(actual.vertexOf("nobody")).isEqualTo(-1);
  }

  private static void same(@Nullable Features actual, @Nullable Features expected) {
    switch (expected) {
      case null -> assertThat(actual).isNull();
      case DenseFeatures dense ->
          same(((DenseFeatures) requireNonNull(actual)).matrix(), dense.matrix());
      case SparseFeatures sparse -> {
        SparseFeatures read = (SparseFeatures) requireNonNull(actual);
        assertThat(CsrArrays.same(read.byRow(), sparse.byRow())).isTrue();
        assertThat(CsrArrays.same(read.byColumn(), sparse.byColumn())).isTrue();
        assertThat(read.width()).isEqualTo(sparse.width());
      }
    }
  }

  private static void same(@Nullable Labels actual, @Nullable Labels expected) {
    switch (expected) {
      case null -> assertThat(actual).isNull();
      case ClassLabels classes -> {
        ClassLabels read = (ClassLabels) requireNonNull(actual);
        assertThat(read.classes()).isEqualTo(classes.classes());
        long bytes = (long) classes.rows() * Integer.BYTES;
        assertThat(MemorySegment.mismatch(read.values(), 0, bytes, classes.values(), 0, bytes))
            .isEqualTo(-1);
      }
      case MultiLabels multi ->
          same(((MultiLabels) requireNonNull(actual)).values(), multi.values());
      case RealLabels real -> same(((RealLabels) requireNonNull(actual)).values(), real.values());
    }
  }

  private static void same(Matrix actual, Matrix expected) {
    assertThat(actual.toArray()).isDeepEqualTo(expected.toArray());
  }
}
