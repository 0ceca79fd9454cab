package dev.heddle.graph.wordnet;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a pointer says of its target, with its symbol in the data files: wninput(5WN). */
enum Relation {
  ANTONYM("!"),
  HYPERNYM("@"),
  INSTANCE_HYPERNYM("@i"),
  HYPONYM("~"),
  INSTANCE_HYPONYM("~i"),
  MEMBER_HOLONYM("#m"),
  SUBSTANCE_HOLONYM("#s"),
  PART_HOLONYM("#p"),
  MEMBER_MERONYM("%m"),
  SUBSTANCE_MERONYM("%s"),
  PART_MERONYM("%p"),
  ATTRIBUTE("="),
  DERIVATION("+"),
  TOPIC(";c"),
  TOPIC_MEMBER("-c"),
  REGION(";r"),
  REGION_MEMBER("-r"),
  USAGE(";u"),
  USAGE_MEMBER("-u"),
  ENTAILMENT("*"),
  CAUSE(">"),
  ALSO_SEE("^"),
  VERB_GROUP("$"),
  SIMILAR("&"),
  PARTICIPLE("<"),
  /** Of an adjective to its noun, and of an adverb to its adjective. */
  PERTAINYM("\\");

  private static final Map<String, Relation> BY_SYMBOL =
      Arrays.stream(values()).collect(Collectors.toMap(r -> r.symbol, Function.identity()));

  private static final List<Relation> ALL = List.of(values());

  private final String symbol;

  Relation(String symbol) {
    this.symbol = symbol;
  }

  /** By type of arc: each relation, then each as it is seen from its target. */
  static List<String> arcTypes() {
    List<String> names = new ArrayList<>();
    for (String direction : List.of("", "inverse ")) {
      for (Relation relation : ALL) {
        names.add(direction + relation.name().toLowerCase(Locale.ROOT).replace('_', ' '));
      }
    }
    return names;
  }

  int arcType() {
    return ALL.indexOf(this);
  }

  int inverseArcType() {
    return ALL.size() + ALL.indexOf(this);
  }

  /** The one of that symbol, or null. */
  static @Nullable Relation of(String symbol) {
    return BY_SYMBOL.get(symbol);
  }
}
