package dev.heddle.cli;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Which options of {@code heddle train} have an effect only beside a value of another. One that is
 * given without would change nothing, and is refused. Which knobs go together is said by {@link
 * dev.heddle.train.settings.Compatibility}.
 */
final class OptionRules {
  /**
   * Options that depend on the value of another.
   *
   * @param names without dashes
   * @param other the option they depend on
   * @param values of it that decide
   */
  private record Depends(List<String> names, String other, Set<String> values) {}

  private static Depends depends(List<String> names, String other, String... values) {
    return new Depends(names, other, new TreeSet<>(List.of(values)));
  }

  /** Options that matter only beside a value of another. */
  private static final List<Depends> ONLY_WITH =
      List.of(
          depends(List.of("heads", "output-heads", "attention-dropout"), "model", "gat", "gatv2"),
          depends(List.of("alpha"), "model", "gcnii", "appnp"),
          depends(List.of("lambda"), "model", "gcnii"),
          depends(List.of("propagations"), "model", "appnp"),
          depends(List.of("epsilon"), "model", "gin"),
          depends(
              List.of(
                  "stages",
                  "chunks",
                  "compensation",
                  "refresh",
                  "forward-twice",
                  "initial",
                  "section-costs"),
              "split",
              "layers",
              "hybrid"),
          depends(List.of("momentum"), "optimizer", "sgd"),
          depends(List.of("warmup"), "schedule", "cosine"),
          depends(List.of("step-epochs", "step-factor"), "schedule", "step"),
          depends(List.of("codec-period", "codec-bits"), "codec", "adaptive", "random"),
          depends(List.of("codec-lambda", "codec-group"), "codec", "adaptive"),
          depends(List.of("staleness", "consistency"), "sync", "racom"));

  /** Options that no longer matter beside a value of another. */
  private static final List<Depends> NOT_WITH =
      List.of(
          depends(List.of("hidden", "dropout"), "model", "sgc"),
          depends(List.of("norm"), "model", "sgc", "gcnii", "resgcn"));

  /** Options that are for several workers. */
  private static final List<String> SEVERAL =
      List.of("processes", "partition", "partition-file", "link", "latency", "wait");

  /** Options that are for workers joined by sockets. */
  private static final List<String> SOCKETS =
      List.of("unix-sockets", "silence", "tls-cert", "tls-key", "tls-ca");

  /** Options that are for batches. */
  private static final List<String> BATCHES =
      List.of("fanout", "sampler", "replace", "by-weight", "kappa", "flat", "debias");

  private final CommandSpec spec;
  private final boolean resumed;

  /**
   * The rules for a command.
   *
   * @param resumed whether its file is that of a run that goes on
   */
  OptionRules(CommandSpec spec, boolean resumed) {
    this.spec = spec;
    this.resumed = resumed;
  }

  /**
   * Refuses an option that would have no effect.
   *
   * @param workers that train together
   * @param sockets whether they are processes
   */
  void check(int workers, boolean sockets) {
    for (Depends rule : ONLY_WITH) {
      String value = value(rule.other);
      if (!rule.values.contains(value)) {
        String values = String.join(" or ", rule.values);
        refuse(rule.names, "is for --" + rule.other + " " + values + ", not " + value);
      }
    }
    for (Depends rule : NOT_WITH) {
      String value = value(rule.other);
      if (rule.values.contains(value)) {
        refuse(rule.names, "has no effect with --" + rule.other + " " + value);
      }
    }
    if (workers == 1) {
      refuse(SEVERAL, "is for several workers, and there is one: add --workers");
      refuse(SOCKETS, "is for several workers, and there is one: add --workers");
    } else if (!sockets) {
      refuse(SOCKETS, "is for workers that are joined by sockets: add --processes");
    }
    if (value("batch").equals("0")) {
      refuse(BATCHES, "is for batches: say how large with --batch, as in --batch 1024");
    }
    checkCache();
    if (value("split").equals("layers")) {
      refuse(
          List.of("partition", "partition-file"),
          "is for workers that share the graph, and each stage has all of it: leave it out");
    }
    if (option("partition-file").getValue() != null) {
      refuse(List.of("partition"), "makes a partition, and --partition-file has one: use either");
    }
    if (Float.parseFloat(value("weight-decay")) == 0) {
      refuse(List.of("decay-first-layer-only"), "is for weight decay: add --weight-decay");
    }
    if (workers > 1 && value("split").equals("none")) {
      throw new InputException("--split none is for one worker, and there are " + workers);
    }
  }

  private void checkCache() {
    List<String> cache = List.of(value("cache").split(","));
    boolean sized = option("cache-bytes").getValue() != null;
    if (!sized && !cache.contains("gns")) {
      refuse(List.of("cache-rank"), "is for a cache: say how large with --cache-bytes");
      if (cache.contains("hot")) {
        throw new InputException("--cache hot is a cache: say how large with --cache-bytes");
      }
    }
  }

  private void refuse(List<String> names, String because) {
    for (String name : names) {
      OptionSpec option = option(name);
      if (said(option)) {
        throw new InputException("--" + name + " " + because);
      }
    }
  }

  /**
   * Whether somebody says so: on the command line whatever but no, in a file what is not so anyway.
   * The file of a run that goes on says everything, also how its workers were joined then.
   */
  private boolean said(OptionSpec option) {
    Object value = option.getValue();
    if (value == null) {
      return false;
    }
    if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
      return !value.equals(false) || Boolean.parseBoolean(option.defaultValue());
    }
    return !resumed && !value.toString().equals(otherwise(option));
  }

  /** What holds if neither the command line nor a file says otherwise. */
  private String otherwise(OptionSpec option) {
    Object usual =
        spec.defaultValueProvider() instanceof TrainDefaults defaults
            ? defaults.withoutFile(Keys.name(option))
            : null;
    return Objects.toString(usual != null ? usual : Keys.initial(option), "");
  }

  private String value(String name) {
    return Objects.toString(option(name).getValue(), "");
  }

  private OptionSpec option(String name) {
    return Objects.requireNonNull(spec.findOption("--" + name));
  }
}
