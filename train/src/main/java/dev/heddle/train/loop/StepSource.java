package dev.heddle.train.loop;

/** The steps of an epoch at one worker: all vertices at once, or batch after batch. */
public interface StepSource extends AutoCloseable {
  /**
   * Begins an epoch, the one before having been taken to its end.
   *
   * @param epoch counted from 1
   * @return how many steps it has, at every worker as many
   */
  int begin(int epoch);

  /** The next step of the epoch, ready to run; the one given before may be reused for it. */
  TrainStep next();

  /** Ends the epoch. */
  void end();

  /** The sum of the {@linkplain TrainStep#weight weights} of an epoch's steps. */
  double weight();

  @Override
  void close();
}
