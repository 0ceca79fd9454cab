package dev.heddle.bench;

import dev.heddle.graph.Graph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * AdaQP's claim of convergence (Wan et al., 2023, theorem 2: the mean squared norm of the exact
 * gradient over T epochs is O(1/T), down to a floor that grows with what rounding adds): four
 * workers train by plain gradient descent at a constant rate and without dropout, at fp32, at two
 * bits and adaptively; the exact gradient at the parameters after every epoch is computed by {@link
 * ExactGradient}. Prints a Markdown table; {@code --csv FILE} has every epoch.
 *
 * <p>Options: {@code --graphs}, {@code --codecs} (lists with commas), {@code --epochs}, {@code
 * --lr}, {@code --model}, {@code --hidden}, {@code --seed}, {@code --data}, {@code --work}.
 */
final class ConvergenceBench {
  private static final int[] MARKS = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000};

  private final Options options;
  private final Path folder = Path.of("").toAbsolutePath();
  private final Path work;
  private final int epochs;
  private final StringBuilder csv = new StringBuilder("graph,codec,epoch,squared_norm,mean\n");

  private ConvergenceBench(Options options) {
    this.options = options;
    work = Path.of(options.word("work", "target/bench")).toAbsolutePath();
    epochs = options.number("epochs", 500);
  }

  public static void main(String[] args) throws IOException {
    new ConvergenceBench(Options.parse(args)).run();
  }

  private void run() throws IOException {
    List<Integer> marks = new ArrayList<>();
    for (int mark : MARKS) {
      if (mark <= epochs) {
        marks.add(mark);
      }
    }
    System.out.print("| graph | codec |");
    marks.forEach(mark -> System.out.print(" mean to " + mark + " |"));
    System.out.println(" last tenth | slope | loss | MB/epoch |");
    System.out.println("|---|---|" + "---|".repeat(marks.size() + 4));
    for (String name : options.word("graphs", "amazon-photo,coauthor-cs").split(",", -1)) {
      for (String codec : options.word("codecs", "fp32,bits2,adaptive").split(",", -1)) {
        measure(name, codec, marks);
      }
    }
    String file = options.word("csv", "");
    if (!file.isEmpty()) {
      Files.writeString(Path.of(file), csv);
    }
  }

  private void measure(String name, String codec, List<Integer> marks) throws IOException {
    Path data = Path.of(options.word("data", "../shared/data")).resolve(name);
    Path run = Files.createTempDirectory(Files.createDirectories(work), "convergence-");
    try {
      HeddleRun trained = HeddleRun.of(folder, flags(data, codec, run));
      double[] norms = norms(data, run.resolve("checkpoints"));
      Map<Integer, Double> means = new LinkedHashMap<>();
      double sum = 0;
      for (int t = 1; t <= norms.length; t++) {
        sum += norms[t - 1];
        means.put(t, sum / t);
        csv.append(
            String.format(
                Locale.ROOT, "%s,%s,%d,%.6g,%.6g%n", name, codec, t, norms[t - 1], sum / t));
      }
      System.out.print("| " + name + " | " + codec + " |");
      marks.forEach(mark -> System.out.printf(Locale.ROOT, " %.2e |", means.get(mark)));
      System.out.printf(
          Locale.ROOT,
          " %.2e | %.2f | %.4f | %.3f |%n",
          lastTenth(norms),
          slope(means, marks.get(marks.size() - 2), marks.getLast()),
          trained.summary().get("loss").asDouble(),
          trained.bytes() / 1e6);
    } finally {
      Folders.delete(run);
    }
  }

  /** Of the mean squared norm over epochs, both logarithmic: -1 is O(1/T), 0 is a floor. */
  private static double slope(Map<Integer, Double> means, int from, int to) {
    double first = means.getOrDefault(from, Double.NaN);
    double last = means.getOrDefault(to, Double.NaN);
    return Math.log(last / first) / Math.log((double) to / from);
  }

  private static double lastTenth(double[] norms) {
    int count = Math.max(1, norms.length / 10);
    double sum = 0;
    for (int t = norms.length - count; t < norms.length; t++) {
      sum += norms[t];
    }
    return sum / count;
  }

  private double[] norms(Path data, Path checkpoints) throws IOException {
    double[] norms = new double[epochs];
    Path first = checkpoint(checkpoints, 1);
    try (Graph graph = Graph.open(data);
        ExactGradient gradient = new ExactGradient(graph, first)) {
      for (int epoch = 1; epoch <= epochs; epoch++) {
        norms[epoch - 1] = gradient.squaredNorm(checkpoint(checkpoints, epoch));
      }
    }
    return norms;
  }

  private static Path checkpoint(Path checkpoints, int epoch) {
    return checkpoints.resolve(String.format(Locale.ROOT, "epoch-%06d.safetensors", epoch));
  }

  private List<String> flags(Path data, String codec, Path run) {
    List<String> flags = new ArrayList<>(List.of("train", "--json", "--out", run.toString()));
    flags.addAll(List.of("--graph", data.toAbsolutePath().toString()));
    flags.addAll(List.of("--workers", "4", "--threads", "4", "--codec", codec));
    if (codec.equals("adaptive")) {
      flags.addAll(List.of("--codec-period", "50"));
    }
    flags.addAll(List.of("--model", options.word("model", "gcn"), "--dropout", "0"));
    flags.addAll(List.of("--hidden", options.word("hidden", "16")));
    flags.addAll(List.of("--optimizer", "sgd", "--momentum", "0"));
    flags.addAll(List.of("--lr", options.word("lr", "0.03"), "--seed", options.word("seed", "0")));
    flags.addAll(List.of("--epochs", "" + epochs, "--evaluate-every", "0"));
    flags.addAll(List.of("--checkpoint-every", "1", "--keep", "" + epochs));
    return flags;
  }
}
