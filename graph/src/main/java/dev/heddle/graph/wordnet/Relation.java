package dev.heddle.graph.wordnet;

import java.util.Arrays;
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

  private final String symbol;

  Relation(String symbol) {
    this.symbol = symbol;
  }

  /** The one of that symbol, or null. */
  static @Nullable Relation of(String symbol) {
    return BY_SYMBOL.get(symbol);
  }
}
