package dev.heddle.cli;

import dev.heddle.graph.partition.MultilevelPartitioner;
import dev.heddle.graph.partition.Partitioner;
import dev.heddle.graph.partition.RandomPartitioner;
import dev.heddle.graph.partition.RangePartitioner;
import dev.heddle.graph.partition.StreamingPartitioner;
import java.util.Locale;

/** Ways to partition. */
enum PartitionMethod {
  MULTILEVEL,
  STREAMING,
  RANDOM,
  RANGE;

  Partitioner partitioner() {
    return switch (this) {
      case MULTILEVEL -> new MultilevelPartitioner();
      case STREAMING -> new StreamingPartitioner();
      case RANDOM -> new RandomPartitioner();
      case RANGE -> new RangePartitioner();
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
