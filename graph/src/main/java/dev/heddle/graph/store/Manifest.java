package dev.heddle.graph.store;

import dev.heddle.graph.FeatureSchema;
import java.util.List;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a store holds: the arrays by name, and what cannot be seen from them.
 *
 * @param symmetric whether the arcs by source are the arcs by destination and stored once
 * @param labels what the labels mean; null without any
 * @param arcTypes the names of the types of arcs; empty without types
 * @param features what columns of features are called, and what was done to them
 * @param bothWays whether every arc was given a reverse; true where symmetric
 */
record Manifest(
    String name,
    boolean symmetric,
    @Nullable LabelInfo labels,
    List<String> arcTypes,
    FeatureSchema features,
    boolean bothWays,
    SequencedMap<String, ArrayEntry> arrays) {
  /** The newest version that is read. */
  static final int NEWEST = 2;

  static final String FILE = "manifest.json";

  /** The version that is written: times of arcs came with the second. */
  int version() {
    return has(Names.IN + Names.TIMES) ? NEWEST : 1;
  }

  /** Vertices. */
  public long vertices() {
    return entry(Names.IN + Names.OFFSETS).shape().rows() - 1;
  }

  public long arcs() {
    return entry(Names.IN + Names.IDS).shape().rows();
  }

  public boolean has(String array) {
    return arrays.containsKey(array);
  }

  /** How many splits there are. */
  public int splits() {
    int count = 0;
    while (has(Names.split(count, Names.TRAIN))) {
      count++;
    }
    return count;
  }

  /** Bytes of all arrays' files. */
  public long bytes() {
    return arrays.values().stream().mapToLong(a -> a.shape().fileBytes()).sum();
  }

  /** This manifest with other arrays. */
  Manifest withArrays(SequencedMap<String, ArrayEntry> others) {
    return new Manifest(name, symmetric, labels, arcTypes, features, bothWays, others);
  }

  /** Whether there are features, dense or sparse. */
  boolean hasFeatures() {
    return has(Names.FEATURES) || has(Names.FEATURES + Names.OFFSETS);
  }

  ArrayEntry entry(String array) {
    ArrayEntry entry = arrays.get(array);
    if (entry == null) {
      throw new IllegalStateException("the store has no array " + array);
    }
    return entry;
  }
}
