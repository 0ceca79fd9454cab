package dev.heddle.nn.program;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Block;
import dev.heddle.graph.DenseFeatures;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.TestSeed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is computed while rows of a halo travel must not touch them: they are NaN until then. */
class StagedHaloTest {
  private static final int OWN = 40;
  private static final int CENTRAL = 23;
  private static final int SOURCES = 61;
  private static final int WIDTH = 6;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  /** A halo whose rows are own rows that come back later: halo row i is own row i mod OWN. */
  private final class Echo implements Halo {
    private final boolean overlap;
    private int underWay;
    private int there;
    private int back;

    Echo(boolean overlap) {
      this.overlap = overlap;
    }

    @Override
    public int central() {
      return CENTRAL;
    }

    @Override
    public boolean overlaps() {
      return overlap;
    }

    @Override
    public Passage passage(Travelling value) {
      return new Passage() {
        private Matrix target = Matrix.of(memory, new float[0][]);
        private float[][] gradient = {};

        @Override
        public void start(ThreadTeam team, Matrix rows, Step step) {
          assertThat(underWay++).isZero();
          target = rows;
          poison(rows);
        }

        @Override
        public void finish(ThreadTeam team) {
          underWay--;
          there++;
          float[][] rows = target.toArray();
          for (int row = OWN; row < SOURCES; row++) {
            target.setRow(row, rows[row % OWN]);
          }
        }

        @Override
        public void startBack(ThreadTeam team, Matrix rows, Step step) {
          assertThat(underWay++).isZero();
          target = rows;
          gradient = rows.toArray();
          poison(rows);
        }

        @Override
        public void finishBack(ThreadTeam team) {
          underWay--;
          back++;
          for (int row = OWN; row < SOURCES; row++) {
            for (int c = 0; c < target.cols(); c++) {
              float sum = target.get(row % OWN, c) + gradient[row][c];
              target.set(row % OWN, c, sum);
            }
          }
        }
      };
    }

    private static void poison(Matrix rows) {
      for (int row = OWN; row < SOURCES; row++) {
        for (int c = 0; c < rows.cols(); c++) {
          rows.set(row, c, Float.NaN);
        }
      }
    }
  }

  /** Central rows read own rows alone; marginal ones at least one of the halo; one is a hub. */
  private Csr arcs() {
    int[][] columns = new int[OWN][];
    for (int row = 0; row < OWN; row++) {
      boolean central = row < CENTRAL;
      int degree = row == 3 || row == OWN - 2 ? 20_000 : random.nextInt(central ? 0 : 1, 7);
      int[] sources = new int[degree];
      for (int i = 0; i < degree; i++) {
        sources[i] = random.nextInt(central ? OWN : SOURCES);
      }
      if (!central) {
        sources[0] = random.nextInt(OWN, SOURCES);
      }
      Arrays.sort(sources);
      columns[row] = sources;
    }
    return Csr.of(memory, SOURCES, columns);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"MLP"},
      mode = EnumSource.Mode.EXCLUDE)
  void stagesComeToTheSameBits(ModelKind kind) {
    Csr arcs = arcs();
    float[][] rows = new float[OWN][WIDTH];
    for (float[] row : rows) {
      for (int c = 0; c < WIDTH; c++) {
        row[c] = (float) random.nextGaussian();
      }
    }
    for (boolean folded : new boolean[] {true, false}) {
      Echo waiting = new Echo(false);
      List<float[][]> expected = run(kind, arcs, rows, waiting, folded);
      Echo overlapping = new Echo(true);
      List<float[][]> staged = run(kind, arcs, rows, overlapping, folded);
      assertThat(waiting.underWay).isZero();
      assertThat(overlapping.underWay).isZero();
      // Rows did travel, and gradients back: else nothing was poisoned.
      assertThat(overlapping.there).isPositive().isEqualTo(waiting.there);
      assertThat(overlapping.back).isEqualTo(waiting.back);
      if (kind != ModelKind.SGC) {
        assertThat(overlapping.back).isPositive();
      }
      assertThat(staged).hasSameSizeAs(expected).isNotEmpty();
      for (int i = 0; i < expected.size(); i++) {
        assertThat(staged.get(i)).isDeepEqualTo(expected.get(i));
        for (float[] row : staged.get(i)) {
          for (float value : row) {
            assertThat(value).isFinite();
          }
        }
      }
    }
  }

  private List<float[][]> run(
      ModelKind kind, Csr arcs, float[][] features, Halo halo, boolean folded) {
    ModelSpec spec =
        ModelSpec.of(kind)
            .layers(kind == ModelKind.SGC ? 2 : 3)
            .hidden(12)
            .heads(4)
            .dropout(0.2f)
            .build();
    Model model = Model.create(spec, new Model.Shape(WIDTH, 3), memory, 4);
    Recorder r = new Recorder(new Recorder.Options(folded, false));
    Rows own = new Rows(OWN);
    Block block = Block.of(memory, arcs);
    var scales = memory.allocateFloats(SOURCES);
    for (int i = 0; i < SOURCES; i++) {
      scales.setAtIndex(JAVA_FLOAT, i, 0.3f);
    }
    block.symmetricSource(scales);
    Hop hop = Hop.across(block, new Rows(SOURCES), own, halo);
    Value x = r.input(own, new DenseFeatures(Matrix.of(memory, features)));
    Program program =
        r.build(model.record(r, Collections.nCopies(model.hops(), hop), x)).allocate(memory, team);
    Step step = new Step(3).train(1, 0);
    List<float[][]> results = new ArrayList<>();
    for (int repeat = 0; repeat < 2; repeat++) {
      model.parameters().all().forEach(Parameter::zeroGrad);
      program.forward(step);
      results.add(program.output().toArray());
      for (int row = 0; row < OWN; row++) {
        for (int c = 0; c < 3; c++) {
          program.outputGrad().set(row, c, (row % 5 - 2) * 0.1f + c * 0.01f);
        }
      }
      program.backward(step);
      model.parameters().all().forEach(p -> results.add(p.grad().toArray()));
    }
    return results;
  }
}
