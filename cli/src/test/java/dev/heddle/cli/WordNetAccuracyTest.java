package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** What the README says of {@code heddle train} without arguments: the mean of three seeds. */
@Tag("slow")
class WordNetAccuracyTest {
  @TempDir private Path folder;

  @Test
  void theDefaultsReachWhatIsPromised() {
    double sum = 0;
    for (int seed = 0; seed < 3; seed++) {
      String out = folder.resolve("run" + seed).toString();
      Ran ran = Ran.heddle("train", "--seed", "" + seed, "--out", out, "--json");
      double test = new JsonMapper().readTree(ran.lastLine()).get("test").asDouble();
      System.out.println("wordnet, seed " + seed + ": " + test);
      sum += test;
    }
    assertThat(sum / 3).isGreaterThan(0.86);
  }
}
