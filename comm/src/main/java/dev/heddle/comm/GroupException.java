package dev.heddle.comm;

import org.jspecify.annotations.Nullable;

/** The first thing that went wrong in a run: which worker, on which host, doing what. */
public final class GroupException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int rank;
  private final String host;
  private final String where;
  private final String what;

  GroupException(int rank, String host, String where, String what, @Nullable Throwable cause) {
    super("rank " + rank + " on " + host + ", at " + where + ": " + what, cause);
    this.rank = rank;
    this.host = host;
    this.where = where;
    this.what = what;
  }

  /** This cause, thrown anew where it was noticed. */
  GroupException again() {
    return new GroupException(rank, host, where, what, this);
  }

  /** The worker at fault. */
  public int rank() {
    return rank;
  }

  /** Where that worker runs. */
  public String host() {
    return host;
  }

  /** How far the run had come, in the words of {@link Group#at}. */
  public String where() {
    return where;
  }

  /** What happened, without rank and place. */
  public String what() {
    return what;
  }
}
