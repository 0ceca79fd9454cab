package dev.heddle.graph;

import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import java.util.Arrays;

/** The features of a {@link CommunityGraph}: a row depends on its vertex and label alone. */
final class CommunityFeatures {
  private final int width;
  private final int words;

  // Dense: a centre per class, and the scale of the noise.
  private final float[][] centres;
  private final long noiseKey;
  private final double noise;

  // Sparse: the words that a class is fond of, and how often it uses them.
  private final int[][] favourites;
  private final long wordKey;
  private final double fondness;

  CommunityFeatures(CommunityGraph settings) {
    width = settings.width();
    words = Math.min(settings.words(), width);
    long centreKey = CommunityPurpose.CENTRE.key(settings);
    // Scaled so that all features together have variance 1, whatever the noise.
    double scale = 1 / Math.sqrt(1 + settings.noise() * settings.noise());
    centres = new float[settings.classes()][words == 0 ? width : 0];
    for (int label = 0; label < centres.length; label++) {
      for (int col = 0; col < centres[label].length; col++) {
        centres[label][col] =
            (float) (scale * Draws.gaussian(centreKey, (long) label * width + col));
      }
    }
    noiseKey = CommunityPurpose.NOISE.key(settings);
    noise = scale * settings.noise();
    favourites = new int[settings.classes()][words == 0 ? 0 : Math.max(1, width / centres.length)];
    for (int label = 0; label < favourites.length; label++) {
      for (int i = 0; i < favourites[label].length; i++) {
        favourites[label][i] = Draws.below(Draws.at(centreKey, (long) label * width + i), width);
      }
    }
    wordKey = CommunityPurpose.WORDS.key(settings);
    fondness = 1 / (1 + settings.noise());
  }

  /** Fills a row with the features of a vertex: the centre of its class and Gaussian noise. */
  void dense(int vertex, int label, Matrix to, int row) {
    float[] centre = centres[label];
    for (int col = 0; col < width; col++) {
      double draw = Draws.gaussian(noiseKey, (long) vertex * width + col);
      to.set(row, col, (float) (centre[col] + noise * draw));
    }
  }

  /**
   * The words of a vertex, ascending, from {@code to[at]} on: each one of its class's favourites or
   * any word at all. Words drawn twice count once.
   *
   * @return how many they are, at most as many as wished
   */
  int words(int vertex, int label, int[] to, int at) {
    for (int i = 0; i < words; i++) {
      long bits = Draws.at(wordKey, (long) vertex * words + i);
      boolean fond = Draws.unitDouble(bits) < fondness;
      long choice = Draws.mix(bits);
      to[at + i] =
          fond
              ? favourites[label][Draws.below(choice, favourites[label].length)]
              : Draws.below(choice, width);
    }
    Arrays.sort(to, at, at + words);
    int count = Math.min(words, 1);
    for (int i = 1; i < words; i++) {
      if (to[at + i] != to[at + i - 1]) {
        to[at + count++] = to[at + i];
      }
    }
    return count;
  }
}
