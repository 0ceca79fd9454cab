package dev.heddle.cli;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The known word that a misspelt one is nearest to. */
final class DidYouMean {
  private DidYouMean() {}

  /** A word at most a third of whose letters would have to change. */
  static Optional<String> closest(String word, List<String> known) {
    String lower = word.toLowerCase(Locale.ROOT);
    return known.stream()
        .min(Comparator.comparingInt(k -> distance(lower, k)))
        .filter(k -> distance(lower, k) <= Math.max(1, Math.max(word.length(), k.length()) / 3));
  }

  /** The end of a sentence: empty if nothing is near. */
  static String hint(String word, List<String> known) {
    return closest(word, known).map(k -> "; did you mean '" + k + "'?").orElse("");
  }

  /** Letters to insert, remove, change or swap with the next: Damerau and Levenshtein's. */
  private static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      d[i][0] = i;
    }
    Arrays.setAll(d[0], j -> j);
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(d[i - 1][j - 1] + change, 1 + Math.min(d[i - 1][j], d[i][j - 1]));
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
