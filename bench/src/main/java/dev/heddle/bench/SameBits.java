package dev.heddle.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Whether a change of the code changes no bit of what is trained: records what {@link BitsCases}
 * come to by the command of one checkout, and compares what they come to by that of another. Of the
 * product it uses nothing but that command and the files which it leaves. Prints Markdown tables;
 * ends with 1 where something differs that is not expected to, with 2 where nothing was compared.
 *
 * <p>Options: {@code --heddle CHECKOUT}; {@code --record FILE.csv} or {@code --compare FILE.csv},
 * which runs the cases that the file holds; {@code --only WORD} in the names of cases; {@code
 * --expected LIST.txt} of {@link ExpectedDifferences}; {@code --work DIR}, which keeps graphs and
 * runs.
 */
final class SameBits {
  private static final Set<String> OPTIONS =
      Set.of("heddle", "record", "compare", "only", "expected", "work");

  private final Options options;
  private final HeddleCommand heddle;
  private final BitsFolder folder;
  private int done;

  private SameBits(Options options, Path work) throws IOException {
    this.options = options;
    heddle = new HeddleCommand(Path.of(options.word("heddle", "")));
    heddle.prepare();
    folder = new BitsFolder(work, heddle);
  }

  public static void main(String[] args) {
    boolean passes;
    try {
      passes = run(checked(Options.parse(args)));
    } catch (IllegalArgumentException | IOException e) {
      System.err.println("same-bits: " + e.getMessage());
      System.exit(2);
      return;
    }
    if (!passes) {
      System.exit(1);
    }
  }

  private static Options checked(Options options) {
    Set<String> unknown = new HashSet<>(options.values().keySet());
    unknown.removeAll(OPTIONS);
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("there is no --" + unknown.iterator().next());
    }
    boolean records = options.values().containsKey("record");
    boolean compares = options.values().containsKey("compare");
    if (!options.values().containsKey("heddle") || records == compares) {
      throw new IllegalArgumentException(
          "wants --heddle CHECKOUT and either --record FILE.csv or --compare FILE.csv");
    }
    return options;
  }

  private static boolean run(Options options) throws IOException {
    String kept = options.word("work", "");
    Path work = kept.isEmpty() ? Files.createTempDirectory("heddle-bits-") : Path.of(kept);
    try {
      SameBits bits = new SameBits(options, work);
      return options.values().containsKey("record") ? bits.record() : bits.compare();
    } finally {
      if (kept.isEmpty()) {
        Folders.delete(work);
      }
    }
  }

  private boolean record() throws IOException {
    List<BitsCase> cases = requireAny(BitsCases.all().stream().filter(this::wanted).toList());
    List<BitsResult> results = new ArrayList<>();
    for (BitsCase todo : cases) {
      results.add(result(todo, cases.size()));
    }
    BitsTable.write(Path.of(options.word("record", "")), results);
    long failed = results.stream().filter(r -> r.failure() != null).count();
    System.out.println("| cases | |");
    System.out.println("|---|---:|");
    System.out.println("| recorded | " + (results.size() - failed) + " |");
    System.out.println("| failed | " + failed + " |");
    return true;
  }

  private boolean compare() throws IOException {
    String list = options.word("expected", "");
    BitsComparison comparison =
        new BitsComparison(
            list.isEmpty() ? ExpectedDifferences.NONE : ExpectedDifferences.read(Path.of(list)));
    List<BitsResult> recorded =
        requireAny(
            BitsTable.read(Path.of(options.word("compare", ""))).stream()
                .filter(r -> wanted(r.of()))
                .toList());
    for (BitsResult before : recorded) {
      String what = comparison.add(before, result(before.of(), recorded.size()));
      if (!what.isEmpty()) {
        System.err.println("  differs: " + what);
      }
    }
    comparison.print(System.out);
    return comparison.passes();
  }

  /** Where nothing is compared, nothing could differ. */
  private <T> List<T> requireAny(List<T> some) {
    if (some.isEmpty()) {
      throw new IllegalArgumentException(
          "no case has '" + options.word("only", "") + "' in its name");
    }
    return some;
  }

  private boolean wanted(BitsCase some) {
    return some.name().contains(options.word("only", ""));
  }

  private BitsResult result(BitsCase todo, int of) {
    long start = System.nanoTime();
    BitsResult result = BitsResult.of(todo, heddle, folder);
    double seconds = (System.nanoTime() - start) * 1e-9;
    System.err.printf(Locale.ROOT, "%d of %d  %s  %.1f s%n", ++done, of, todo.name(), seconds);
    BitsDigest failure = result.failure();
    if (failure != null) {
      System.err.println("  failed: " + failure.told());
    }
    return result;
  }
}
