package dev.heddle.train.settings;

/**
 * How long the queues are between the stages of a worker's batches: sample, fetch, compute. None of
 * it changes what is trained.
 */
public sealed interface Queues {
  /** There are none but what {@link Fetch#ahead} loads. */
  Queues OFF = new Off();

  /** As long as stages' times and memory suggest. */
  Queues ADAPTIVE = new Adaptive();

  /** The longest that queues are made. */
  int MOST = 16;

  /** One thread does everything in turn, or a second one loads {@link Fetch#ahead}. */
  record Off() implements Queues {
    @Override
    public boolean on() {
      return false;
    }

    @Override
    public String toString() {
      return "off";
    }
  }

  /**
   * Of a length that stays.
   *
   * @param length rounds of batches that may wait between one stage and the next
   */
  record Fixed(int length) implements Queues {
    public Fixed {
      if (length < 1 || length > MOST) {
        throw new IllegalArgumentException(
            "queues have room for 1 to " + MOST + " rounds of batches, not " + length);
      }
    }

    @Override
    public boolean on() {
      return true;
    }

    @Override
    public String toString() {
      return Integer.toString(length);
    }
  }

  /** Lengths follow measured times of stages and the memory that is left. */
  record Adaptive() implements Queues {
    @Override
    public boolean on() {
      return true;
    }

    @Override
    public String toString() {
      return "adaptive";
    }
  }

  /** Whether stages have threads of their own, with queues between. */
  boolean on();

  /** What users write: {@code off}, {@code adaptive} or a number. */
  static Queues of(String text) {
    return switch (text) {
      case "off" -> OFF;
      case "adaptive" -> ADAPTIVE;
      default -> {
        try {
          yield new Fixed(Integer.parseInt(text));
        } catch (NumberFormatException e) {
          throw new IllegalArgumentException(
              "queues are off, adaptive or a number from 1 to " + MOST + ", not " + text, e);
        }
      }
    };
  }
}
