package dev.heddle.graph.wordnet;

import dev.heddle.graph.ArcTypes;
import dev.heddle.graph.Arcs;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Memory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;

/** All synsets, each a vertex; they ascend by {@link Place#number}. */
final class Synsets {
  private final List<Synset> all;
  private final long[] places;

  private Synsets(List<Synset> all) {
    this.all = all;
    this.places = all.stream().mapToLong(s -> s.place().number()).toArray();
  }

  /** The synsets of the data files on the class path. */
  static Synsets read(ClassLoader loader) {
    List<Synset> all = new ArrayList<>();
    for (PartOfSpeech partOfSpeech : PartOfSpeech.values()) {
      all.addAll(DataFile.read(loader, partOfSpeech));
    }
    return of(all);
  }

  /** Synsets whose places ascend. */
  static Synsets of(List<Synset> all) {
    return new Synsets(all);
  }

  /** By vertex. */
  List<Synset> all() {
    return all;
  }

  /** The vertex that a pointer of a synset leads to. */
  int target(Synset source, Pointer pointer) {
    int target = Arrays.binarySearch(places, pointer.target().number());
    if (target < 0) {
      throw new GraphFormatException(
          pointer.target(), "no synset begins here, where " + source.id() + " points");
    }
    return target;
  }

  /** The pointers as arcs both ways, one between two synsets, none from a synset to itself. */
  Csr arcs(Memory memory) {
    try (Memory scratch = memory.child()) {
      Arcs arcs = Arcs.unweighted(scratch);
      for (int vertex = 0; vertex < all.size(); vertex++) {
        Synset synset = all.get(vertex);
        for (Pointer pointer : synset.pointers()) {
          arcs.add(vertex, target(synset, pointer));
        }
      }
      return arcs.toCsr(memory, all.size(), EnumSet.allOf(Arcs.Option.class));
    }
  }

  /**
   * What each of {@link #arcs} stands for: the first pointer of its source to its destination, else
   * the first of its destination to its source, the other way round.
   */
  ArcTypes types(Memory memory, Csr arcs) {
    ArcTypes types = ArcTypes.allocate(memory, arcs.arcs(), Relation.arcTypes());
    boolean[] known = new boolean[Math.toIntExact(arcs.arcs())];
    for (boolean inverse : new boolean[] {false, true}) {
      for (int vertex = 0; vertex < all.size(); vertex++) {
        Synset synset = all.get(vertex);
        for (Pointer pointer : synset.pointers()) {
          int target = target(synset, pointer);
          long arc = inverse ? arc(arcs, target, vertex) : arc(arcs, vertex, target);
          if (arc >= 0 && !known[(int) arc]) {
            Relation relation = pointer.relation();
            types.set(arc, inverse ? relation.inverseArcType() : relation.arcType());
            known[(int) arc] = true;
          }
        }
      }
    }
    return types;
  }

  /** Where an arc is, or less than 0 if there is none: those from a synset to itself are not. */
  private static long arc(Csr arcs, int source, int destination) {
    long from = arcs.offset(destination);
    long to = arcs.offset(destination + 1);
    while (from < to) {
      long middle = (from + to) >>> 1;
      int id = arcs.id(middle);
      if (id == source) {
        return middle;
      }
      if (id < source) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return -1;
  }
}
