package dev.heddle.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Recorded results beside those of now: what differs, and which of it was expected. */
final class BitsComparison {
  private final ExpectedDifferences expected;
  private final List<String> differences = new ArrayList<>();
  private int same;
  private int failedAlike;
  private int differAsExpected;
  private int differ;
  private int sameUnexpectedly;

  BitsComparison(ExpectedDifferences expected) {
    this.expected = expected;
  }

  /** Compares one case, and says what differs; empty if nothing does. */
  String add(BitsResult recorded, BitsResult now) {
    String name = recorded.of().name();
    String what = difference(recorded, now);
    if (what.isEmpty()) {
      if (now.failure() != null) {
        failedAlike++;
      } else {
        same++;
      }
      if (expected.contains(name)) {
        sameUnexpectedly++;
      }
      return what;
    }
    if (expected.contains(name)) {
      differAsExpected++;
    } else {
      differ++;
    }
    differences.add(cells(name, what, expected.reason(name)));
    return what;
  }

  /** Whether all is as it was or as expected. */
  boolean passes() {
    return differ == 0;
  }

  void print(PrintStream out) {
    out.println("| cases | |");
    out.println("|---|---:|");
    out.println(cells("same bits", Integer.toString(same)));
    out.println(cells("different", Integer.toString(differ)));
    out.println(cells("different, as expected", Integer.toString(differAsExpected)));
    out.println(cells("expected to differ, but the same", Integer.toString(sameUnexpectedly)));
    out.println(cells("failed alike, then and now", Integer.toString(failedAlike)));
    if (!differences.isEmpty()) {
      out.println();
      out.println("| case | what differs | expected because |");
      out.println("|---|---|---|");
      differences.forEach(out::println);
    }
  }

  private static String cells(String... cells) {
    List<String> escaped = new ArrayList<>();
    for (String cell : cells) {
      escaped.add(cell.replace("|", "\\|"));
    }
    return "| " + String.join(" | ", escaped) + " |";
  }

  private static String difference(BitsResult recorded, BitsResult now) {
    if (recorded.digests().equals(now.digests())) {
      return "";
    }
    BitsDigest before = recorded.failure();
    BitsDigest after = now.failure();
    if (after != null) {
      return (before == null ? "fails" : "fails otherwise than it did") + ": " + after.told();
    }
    if (before != null) {
      return "does not fail any more as it did: " + before.told();
    }
    return differentDigests(recorded, now);
  }

  private static String differentDigests(BitsResult recorded, BitsResult now) {
    SortedSet<String> names = new TreeSet<>(recorded.digests().keySet());
    names.addAll(now.digests().keySet());
    List<String> found = new ArrayList<>();
    for (String name : names) {
      BitsDigest before = recorded.digests().get(name);
      BitsDigest after = now.digests().get(name);
      if (before == null || !before.equals(after)) {
        found.add(name + how(before, after));
      }
    }
    return found.size() == names.size()
        ? "all " + found.size() + ": " + String.join(", ", found)
        : found.size() + " of " + names.size() + ": " + String.join(", ", found);
  }

  private static String how(@Nullable BitsDigest before, @Nullable BitsDigest after) {
    if (before == null) {
      return " (new)";
    }
    if (after == null) {
      return " (missing)";
    }
    return change(before.dtype(), after.dtype()) + change(before.shape(), after.shape());
  }

  private static String change(String before, String after) {
    return before.equals(after) ? "" : " (" + before + ", now " + after + ")";
  }
}
