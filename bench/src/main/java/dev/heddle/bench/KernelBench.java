package dev.heddle.bench;

import dev.heddle.graph.Block;
import dev.heddle.graph.Graph;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.ArcTasks;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.Product;
import dev.heddle.kernel.SumGather;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * Aggregation against a plain C loop over the same graph, turn by turn, and what share of the
 * machine's memory bandwidth and peak FLOPs aggregation and products reach. Prints Markdown tables.
 *
 * <p>Options: {@code --gather} (the program built from {@code peers/gather.c}, which {@code
 * bench/run} does), {@code --work}, {@code --graph}, {@code --rounds}.
 */
final class KernelBench {
  private final Options options;
  private final Path folder;
  private final int rounds;

  private KernelBench(Options options) throws IOException {
    this.options = options;
    String graphName = options.word("graph", "10m");
    PeerGraphs graphs = new PeerGraphs(options);
    graphs.prepare(graphName);
    folder = graphs.folder(graphName);
    rounds = options.number("rounds", 9);
  }

  public static void main(String[] args) throws IOException {
    KernelBench bench = new KernelBench(Options.parse(args));
    System.out.println(
        "| threads | columns | Heddle ms | plain C ms | of plain C | tiled C ms | of tiled C |"
            + " GB/s gathered | of bandwidth |");
    System.out.println("|---|---|---|---|---|---|---|---|---|");
    for (int threads = 1; threads <= 2; threads++) {
      for (int width : new int[] {40, 128, 256}) {
        bench.aggregation(threads, width);
      }
    }
    System.out.println();
    System.out.println("| threads | product | GFLOP/s | of peak |");
    System.out.println("|---|---|---|---|");
    for (int threads = 1; threads <= 2; threads++) {
      bench.products(threads);
    }
  }

  private Peer peer(String kind, int width, int threads) throws IOException {
    return Peer.start(
        List.of(
            options.word("gather", "bench/target/gather"),
            folder.toString(),
            kind,
            Integer.toString(width),
            Integer.toString(threads)));
  }

  private void aggregation(int threads, int width) throws IOException {
    try (Peer plain = peer("plain", width, threads);
        Peer tiled = peer("tiled", width, threads);
        ThreadTeam team = ThreadTeam.of(threads);
        Graph graph = PeerFolder.read(folder)) {
      Memory memory = graph.memory();
      SumGather gather =
          Block.of(memory, graph.in())
              .forward(Normalisation.SYMMETRIC)
              .gather(Matrix.allocate(memory, ArcTasks.MAX_SEGMENTS, width));
      Matrix x = random(memory, graph.vertices(), width);
      Matrix out = Matrix.allocate(memory, graph.vertices(), width);
      for (int warm = 0; warm < 5; warm++) {
        gather.run(team, x, out, false);
      }
      List<Double> ours = new ArrayList<>();
      List<Double> plainTimes = new ArrayList<>();
      List<Double> tiledTimes = new ArrayList<>();
      List<Double> reads = new ArrayList<>();
      double readBytes = 0;
      for (int round = 0; round < rounds; round++) {
        ours.add(seconds(() -> gather.run(team, x, out, false)));
        plainTimes.addAll(Medians.seconds(plain.ask("gather 1")));
        tiledTimes.addAll(Medians.seconds(tiled.ask("gather 1")));
        var read = plain.ask("read 1");
        reads.addAll(Medians.seconds(read));
        readBytes = read.get("bytes").asDouble();
      }
      // Every arc reads an id, a coefficient and a row; every row is written.
      double bytes = graph.arcs() * (8.0 + 4 * width) + 4.0 * width * graph.vertices();
      double rate = bytes / Medians.of(ours);
      System.out.printf(
          Locale.ROOT,
          "| %d | %d | %.0f | %.0f | %.0f %% | %.0f | %.0f %% | %.1f | %.2f× |%n",
          threads,
          width,
          1e3 * Medians.of(ours),
          1e3 * Medians.of(plainTimes),
          100 * Medians.of(plainTimes) / Medians.of(ours),
          1e3 * Medians.of(tiledTimes),
          100 * Medians.of(tiledTimes) / Medians.of(ours),
          rate / 1e9,
          rate / (readBytes / Medians.of(reads)));
    }
  }

  /** A product of the tall matrices of a layer, by the name its formula has. */
  private record Shape(String name, double flops, Runnable run) {}

  private void products(int threads) throws IOException {
    int n = 200_000;
    try (Peer machine = peer("plain", 40, threads);
        ThreadTeam team = ThreadTeam.of(threads);
        Memory memory = new Memory()) {
      List<Shape> shapes = new ArrayList<>();
      for (int[] size : new int[][] {{128, 128}, {128, 40}, {256, 256}}) {
        int k = size[0];
        int m = size[1];
        Matrix a = random(memory, n, k);
        Matrix b = random(memory, k, m);
        Matrix c = random(memory, n, m);
        Matrix w = random(memory, k, m);
        Matrix back = Matrix.allocate(memory, n, k);
        Product product = Product.allocate(memory, k, m);
        double flops = 2.0 * n * k * m;
        String name = n / 1000 + "k × " + k + " × " + m;
        shapes.add(new Shape("A·B, " + name, flops, () -> product.multiply(team, n, a, b, c)));
        shapes.add(
            new Shape(
                "A·Bᵀ, " + name, flops, () -> product.multiplyTransposed(team, n, c, b, back)));
        shapes.add(
            new Shape(
                "Aᵀ·B, " + name, flops, () -> product.addTransposeMultiply(team, n, a, c, w)));
      }
      for (Shape shape : shapes) {
        for (int warm = 0; warm < 3; warm++) {
          shape.run().run();
        }
        List<Double> times = new ArrayList<>();
        List<Double> peaks = new ArrayList<>();
        double peakFlops = 0;
        for (int round = 0; round < rounds; round++) {
          times.add(seconds(shape.run()));
          var fma = machine.ask("fma 1");
          peaks.addAll(Medians.seconds(fma));
          peakFlops = fma.get("flops").asDouble();
        }
        double rate = shape.flops() / Medians.of(times);
        System.out.printf(
            Locale.ROOT,
            "| %d | %s | %.0f | %.0f %% |%n",
            threads,
            shape.name(),
            rate / 1e9,
            100 * rate / (peakFlops / Medians.of(peaks)));
      }
    }
  }

  private static double seconds(Runnable run) {
    long start = System.nanoTime();
    run.run();
    return (System.nanoTime() - start) * 1e-9;
  }

  private static Matrix random(Memory memory, int rows, int cols) {
    SplittableRandom random = new SplittableRandom(1);
    Matrix m = Matrix.allocate(memory, rows, cols);
    float[] row = new float[cols];
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) {
        row[c] = random.nextFloat() - 0.5f;
      }
      m.setRow(r, row);
    }
    return m;
  }
}
