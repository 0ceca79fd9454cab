package dev.heddle.train.settings;

/**
 * How often workers that are some steps apart stop to compare their models: every so many steps, or
 * as often as they seem to need it.
 *
 * @param steps from one comparison to the next; 0 for none, or to have it found out
 * @param adaptive whether the period shortens where workers diverge or one is late, and lengthens
 *     where not
 */
public record Consistency(int steps, boolean adaptive) {
  /** Models are not compared. */
  public static final Consistency OFF = new Consistency(0, false);

  public static final Consistency ADAPTIVE = new Consistency(0, true);

  public Consistency {
    if (steps < 0 || (adaptive && steps > 0)) {
      throw new IllegalArgumentException(
          "models are compared every 1 step or more, not every " + steps);
    }
  }

  /** Every so many steps. */
  public static Consistency every(int steps) {
    return new Consistency(steps, false);
  }

  public boolean on() {
    return adaptive || steps > 0;
  }

  /** What users write: {@code off}, {@code adaptive} or a number of steps. */
  public static Consistency of(String text) {
    return switch (text) {
      case "off" -> OFF;
      case "adaptive" -> ADAPTIVE;
      default -> {
        try {
          int steps = Integer.parseInt(text);
          if (steps < 1) {
            throw new IllegalArgumentException(
                "consistency is off, adaptive or a number of steps from 1 on, not " + text);
          }
          yield every(steps);
        } catch (NumberFormatException e) {
          throw new IllegalArgumentException(
              "consistency is off, adaptive or a number of steps, not " + text, e);
        }
      }
    };
  }

  @Override
  public String toString() {
    return adaptive ? "adaptive" : steps == 0 ? "off" : Integer.toString(steps);
  }
}
