package dev.heddle.graph.store;

import java.nio.channels.FileChannel;

/** Who takes over an array's file when it is finished, to put it to disk and to list it. */
interface ArrayOwner {
  void written(ArrayEntry entry, FileChannel channel);

  /** Whether the file was handed over. */
  boolean owns(FileChannel channel);
}
