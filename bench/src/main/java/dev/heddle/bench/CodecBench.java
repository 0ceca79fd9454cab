package dev.heddle.bench;

import dev.heddle.kernel.Kernels;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.PackedRows;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.ThreadTeam;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * How fast rows are packed for the wire and unpacked, in bytes of float32 a second: as they are,
 * and at 8, 4 and 2 bits an element. Prints a Markdown table.
 *
 * <p>Options: {@code --rounds}, {@code --rows}, {@code --cols}, {@code --threads}.
 */
final class CodecBench {
  private final int rounds;
  private final Matrix x;
  private final int[] list;
  private final Memory memory;
  private final ThreadTeam team;

  private CodecBench(Options options, Memory memory, ThreadTeam team) {
    this.memory = memory;
    this.team = team;
    rounds = options.number("rounds", 21);
    int rows = options.number("rows", 50_000);
    x = Matrix.allocate(memory, rows, options.number("cols", 256));
    SplittableRandom random = new SplittableRandom(1);
    for (int r = 0; r < x.rows(); r++) {
      for (int c = 0; c < x.cols(); c++) {
        x.set(r, c, (float) random.nextGaussian());
      }
    }
    // Every second row, as they lie scattered among those that nobody else needs.
    list = IntStream.range(0, rows / 2).map(i -> 2 * i).toArray();
  }

  public static void main(String[] args) {
    Options options = Options.parse(args);
    System.out.println("Kernels: " + Kernels.description());
    System.out.println();
    System.out.println("| threads | bits | bytes a row | pack GB/s | unpack GB/s | add GB/s |");
    System.out.println("|---|---|---|---|---|---|");
    for (int threads = 1; threads <= options.number("threads", 2); threads++) {
      try (Memory memory = new Memory();
          ThreadTeam team = ThreadTeam.of(threads)) {
        CodecBench bench = new CodecBench(options, memory, team);
        bench.plain();
        for (int bits : new int[] {8, 4, 2}) {
          bench.quantised(bits);
        }
      }
    }
  }

  private void plain() {
    PackedRows rows = PackedRows.of(memory, list);
    MemorySegment buffer = memory.allocate(rows.bytes(x.cols()));
    print(
        32,
        4L * x.cols(),
        () -> rows.pack(team, x, buffer),
        () -> rows.unpack(team, buffer, x),
        () -> rows.add(team, buffer, x));
  }

  private void quantised(int bits) {
    QuantisedRows rows = QuantisedRows.of(memory, list, null, bits);
    MemorySegment buffer = memory.allocate(rows.bytes(x.cols()));
    print(
        bits,
        QuantisedRows.rowBytes(bits, x.cols()),
        () -> rows.pack(team, x, buffer, 1),
        () -> rows.unpack(team, buffer, x),
        () -> rows.add(team, buffer, x));
  }

  private void print(int bits, long rowBytes, Runnable... steps) {
    StringBuilder line = new StringBuilder();
    line.append("| ").append(team.threads()).append(" | ").append(bits);
    line.append(" | ").append(rowBytes).append(" |");
    for (Runnable step : steps) {
      double bytes = 4.0 * x.cols() * list.length;
      line.append(String.format(Locale.ROOT, " %.1f |", bytes / median(step) / 1e9));
    }
    System.out.println(line);
  }

  private double median(Runnable step) {
    for (int warm = 0; warm < rounds; warm++) {
      step.run();
    }
    List<Double> times = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      long start = System.nanoTime();
      step.run();
      times.add((System.nanoTime() - start) * 1e-9);
    }
    return Medians.of(times);
  }
}
