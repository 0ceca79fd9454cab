package dev.heddle.comm;

import java.util.List;

/** Several transfers that are awaited together. */
record Bundle(List<Transfer> transfers) implements Pending {
  @Override
  public void await() {
    for (Transfer transfer : transfers) {
      transfer.await();
    }
  }
}
