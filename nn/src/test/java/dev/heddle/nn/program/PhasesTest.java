package dev.heddle.nn.program;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.graph.Block;
import dev.heddle.graph.Degrees;
import dev.heddle.graph.SelfLoops;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.RandomGraph;
import dev.heddle.nn.TestSeed;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Programs of chunks of a graph that run phase by phase compute what one of the graph does. */
class PhasesTest {
  private static final int VERTICES = 60;
  private static final int CHUNKS = 4;
  private static final int WIDTH = 9;
  private static final int OUTPUTS = 3;

  private final SplittableRandom random = TestSeed.random(this);
  private final Memory memory = new Memory();
  private final ThreadTeam team = ThreadTeam.of(2);
  private final RandomGraph graph = new RandomGraph(random, memory, VERTICES);
  private final Csr arcs = graph.arcs();
  private final Matrix features = graph.gaussian(VERTICES, WIDTH);

  @AfterEach
  void free() {
    team.close();
    memory.close();
  }

  /** The rows of all chunks for each value that travels, by its number in a program. */
  private final class Live {
    private final List<Matrix> values = new ArrayList<>();

    Matrix of(int number, int cols) {
      if (number == values.size()) {
        Matrix rows = Matrix.allocate(memory, VERTICES, cols);
        rows.fill(Float.NaN);
        values.add(rows);
      }
      return values.get(number);
    }
  }

  /** The halo of one chunk: it gives its rows to the live ones and takes those of others there. */
  private static final class Shared implements Halo {
    private final Live live;
    private final int[] sources;
    private final int own;
    private int numbered;

    Shared(Live live, int[] sources, int own) {
      this.live = live;
      this.sources = sources;
      this.own = own;
    }

    @Override
    public int central() {
      return 0;
    }

    @Override
    public boolean overlaps() {
      return false;
    }

    @Override
    public Passage passage(Travelling value) {
      Matrix all = live.of(numbered++, value.cols());
      return new Passage() {
        private Matrix rows = all;

        @Override
        public void start(ThreadTeam team, Matrix from, Step step) {
          rows = from;
          float[][] gone = from.toArray();
          for (int row = 0; row < own; row++) {
            all.setRow(sources[row], gone[row]);
          }
        }

        @Override
        public void finish(ThreadTeam team) {
          float[][] there = all.toArray();
          for (int row = own; row < sources.length; row++) {
            rows.setRow(row, there[sources[row]]);
          }
        }

        @Override
        public void startBack(ThreadTeam team, Matrix gradient, Step step) {}

        @Override
        public void finishBack(ThreadTeam team) {}
      };
    }
  }

  @ParameterizedTest
  @CsvSource({
    "GCN, true", "GCN, false", "SAGE, true", "SAGE_POOL, true", "GAT, true", "GATV2, true",
    "GIN, true", "GIN, false", "GCNII, true", "RESGCN, true", "SGC, true", "APPNP, true"
  })
  void chunksPhaseByPhaseAreTheGraph(ModelKind kind, boolean fold) {
    int layers = kind == ModelKind.SGC ? 2 : 3;
    ModelSpec spec =
        ModelSpec.of(kind).layers(layers).hidden(12).heads(4).propagations(3).dropout(0.3f).build();
    Model model = Model.create(spec, new Model.Shape(WIDTH, OUTPUTS), memory, 4);
    Csr in = kind.selfLoops() ? SelfLoops.added(memory, arcs) : arcs;
    Recorder.Options options = new Recorder.Options(fold, false);
    Rows all = new Rows(VERTICES);
    Program whole = program(model, options, Hop.within(Block.of(memory, in), all), features);
    whole.allocate(memory, team);
    Live live = new Live();
    int[] chunkOf = IntStream.range(0, VERTICES).map(_ -> random.nextInt(CHUNKS)).toArray();
    List<int[]> owned = new ArrayList<>();
    List<Program> programs = new ArrayList<>();
    for (int c = 0; c < CHUNKS; c++) {
      int chunk = c;
      int[] own = IntStream.range(0, VERTICES).filter(v -> chunkOf[v] == chunk).toArray();
      owned.add(own);
      programs.add(program(model, options, hop(in, own, live), rows(own)));
    }
    // What no chunk has to keep from phase to phase they share, and it is spoilt in between.
    long most = programs.stream().mapToLong(Program::passingBytes).max().orElseThrow();
    MemorySegment passing = memory.allocate(most);
    for (Program program : programs) {
      MemorySegment lasting = memory.allocate(program.lastingBytes());
      Program _ = program.allocateOver(lasting, passing, memory, team);
    }
    assertThat(programs.getFirst().phases()).isEqualTo(model.hops() + 1);
    Step step = new Step(3);
    for (int epoch = 1; epoch <= 3; epoch++) {
      Step now = epoch == 3 ? step.evaluate() : step.train(epoch, 0);
      whole.forward(now);
      // What travelled in the epoch before must not be of use; what travels once still is there.
      if (!fold) {
        live.values.forEach(rows -> rows.fill(Float.NaN));
      }
      for (int phase = 0; phase <= model.hops(); phase++) {
        for (Program program : programs) {
          passing.fill((byte) 0xff);
          program.forward(now, phase);
        }
      }
      float[][] expected = whole.output().toArray();
      for (int c = 0; c < CHUNKS; c++) {
        float[][] actual = programs.get(c).output().toArray();
        for (int row = 0; row < owned.get(c).length; row++) {
          assertThat(actual[row]).containsExactly(expected[owned.get(c)[row]], within(2e-4f));
        }
      }
    }
  }

  private Program program(Model model, Recorder.Options options, Hop hop, Matrix x) {
    Recorder r = new Recorder(options);
    List<Hop> hops = Collections.nCopies(model.hops(), hop);
    return r.build(model.record(r, hops, r.input(hop.destinations(), x)));
  }

  private Matrix rows(int[] own) {
    float[][] rows = features.toArray();
    return Matrix.of(memory, Arrays.stream(own).mapToObj(v -> rows[v]).toArray(float[][]::new));
  }

  /** From a chunk's own rows, and those of others that its arcs come from, to its own. */
  private Hop hop(Csr in, int[] own, Live live) {
    TreeSet<Integer> others = new TreeSet<>();
    for (int v : own) {
      for (long arc = in.offset(v); arc < in.offset(v + 1); arc++) {
        others.add(in.id(arc));
      }
    }
    others.removeAll(Arrays.stream(own).boxed().toList());
    int[] sources =
        IntStream.concat(Arrays.stream(own), others.stream().mapToInt(v -> v)).toArray();
    int[] rowOf = new int[VERTICES];
    for (int row = 0; row < sources.length; row++) {
      rowOf[sources[row]] = row;
    }
    int[][] columns = new int[own.length][];
    for (int row = 0; row < own.length; row++) {
      columns[row] =
          IntStream.range((int) in.offset(own[row]), (int) in.offset(own[row] + 1))
              .map(arc -> rowOf[in.id(arc)])
              .sorted()
              .toArray();
    }
    Block block = Block.of(memory, Csr.of(memory, sources.length, columns));
    // Degrees are those of the graph.
    var scales = memory.allocateFloats(VERTICES);
    Degrees.inverseRoot(in, scales);
    var ofSources = memory.allocateFloats(sources.length);
    for (int row = 0; row < sources.length; row++) {
      ofSources.setAtIndex(JAVA_FLOAT, row, scales.getAtIndex(JAVA_FLOAT, sources[row]));
    }
    block.symmetricSource(ofSources);
    return Hop.across(
        block,
        new Rows(sources.length, RowIds.of(memory, sources)),
        new Rows(own.length, RowIds.of(memory, own)),
        new Shared(live, sources, own.length));
  }
}
