package dev.heddle.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That what differs is found and told, also once results have been in a file. */
class BitsComparisonTest {
  private static final BitsCase CASE = BitsCase.parse("some", "--fanout 5,3 then --resume @out");
  private static final BitsDigest WEIGHT = new BitsDigest("F32", "2×3", "aa");
  private static final BitsDigest METRICS = new BitsDigest("", "4 epochs", "bb");
  private static final BitsDigest FAILURE = BitsDigest.failure(2, "heddle: \"a\", \"\" or b");

  @TempDir private Path folder;

  private static BitsResult result(Map<String, BitsDigest> digests) {
    return new BitsResult(CASE, new TreeMap<>(digests));
  }

  private static BitsResult trained(BitsDigest weight) {
    return result(Map.of("w", weight, BitsDigest.METRICS, METRICS));
  }

  private static BitsResult failed() {
    return result(Map.of(BitsDigest.FAILURE, FAILURE));
  }

  @Test
  void tellsWhatDiffers() {
    BitsComparison comparison = new BitsComparison(ExpectedDifferences.NONE);
    assertThat(comparison.add(trained(WEIGHT), trained(WEIGHT))).isEmpty();
    assertThat(comparison.add(failed(), failed())).isEmpty();
    assertThat(comparison.passes()).isTrue();
    assertThat(comparison.add(trained(WEIGHT), trained(new BitsDigest("F32", "2×3", "ab"))))
        .isEqualTo("1 of 2: w");
    assertThat(comparison.passes()).isFalse();
    assertThat(comparison.add(trained(WEIGHT), trained(new BitsDigest("F32", "3×2", "aa"))))
        .isEqualTo("1 of 2: w (2×3, now 3×2)");
    assertThat(comparison.add(trained(WEIGHT), result(Map.of("v", WEIGHT, "metrics", METRICS))))
        .isEqualTo("2 of 3: v (new), w (missing)");
    assertThat(comparison.add(trained(WEIGHT), failed())).startsWith("fails: exit 2, heddle");
    assertThat(comparison.add(failed(), trained(WEIGHT))).startsWith("does not fail any more");
  }

  @Test
  void passesWithWhatIsExpected() {
    BitsComparison comparison =
        new BitsComparison(new ExpectedDifferences(Map.of("some", "it had a fault")));
    assertThat(comparison.add(trained(WEIGHT), failed())).isNotEmpty();
    assertThat(comparison.passes()).isTrue();
  }

  @Test
  void filesHoldResults() throws IOException {
    BitsCase other = BitsCase.parse("other", "--model gcn");
    List<BitsResult> all =
        List.of(trained(WEIGHT), new BitsResult(other, new TreeMap<>(Map.of("failure", FAILURE))));
    Path file = folder.resolve("bits.csv");
    BitsTable.write(file, all);
    assertThat(BitsTable.read(file)).isEqualTo(all);
  }

  @Test
  void casesHaveNamesOfTheirOwnAndSayWhenTheyAreScored() {
    List<BitsCase> cases = BitsCases.all();
    assertThat(cases).extracting(BitsCase::name).doesNotHaveDuplicates();
    for (BitsCase each : cases) {
      assertThat(each.steps().getFirst()).contains("--evaluate-every", "--threads", "--seed");
      assertThat(BitsCase.parse(each.name(), each.arguments())).isEqualTo(each);
    }
  }
}
