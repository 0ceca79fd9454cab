package dev.heddle.cli;

import dev.heddle.comm.JoinSettings;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code heddle worker}: one of several processes, on one host or many, that train together. */
@Command(
    name = "worker",
    sortOptions = false,
    description = {
      "Joins a run that spans processes or hosts, as one of its workers.",
      "All are started with the same options of heddle train, besides their own rank. They know"
          + " each other by a secret in the environment variable HEDDLE_SECRET."
    },
    footer = {
      "",
      "Example, on two hosts:",
      "  HEDDLE_SECRET=… heddle worker --rank 0 --world 2 --rendezvous host0:7077 --graph g.store",
      "  HEDDLE_SECRET=… heddle worker --rank 1 --world 2 --rendezvous host0:7077 --graph g.store"
    })
final class WorkerCommand implements Callable<Integer> {
  @Option(
      names = "--rank",
      description = "This worker's number, from 0; the first reports (default: $RANK).")
  private @Nullable Integer rank;

  @Option(names = "--world", description = "How many workers there are (default: $WORLD_SIZE).")
  private @Nullable Integer world;

  @Option(
      names = "--rendezvous",
      description =
          "Where the first worker waits for the others: host:port, or unix:/path on one host"
              + " (default: $MASTER_ADDR:$MASTER_PORT).")
  private @Nullable String rendezvous;

  @Mixin private TrainCommand train = new TrainCommand();

  @Override
  public Integer call() {
    return train.join(settings(System.getenv()));
  }

  private JoinSettings settings(Map<String, String> environment) {
    String secret = environment.get(WorkerProcesses.SECRET);
    if (secret == null || secret.isEmpty()) {
      throw new InputException("workers know each other by a secret: set HEDDLE_SECRET");
    }
    String place = rendezvous;
    if (place == null) {
      place =
          required(environment, "MASTER_ADDR", "--rendezvous")
              + ":"
              + required(environment, "MASTER_PORT", "--rendezvous");
    }
    return JoinSettings.of(
        rank != null ? rank : number(environment, "RANK", "--rank"),
        world != null ? world : number(environment, "WORLD_SIZE", "--world"),
        place,
        secret);
  }

  private static int number(Map<String, String> environment, String variable, String flag) {
    String value = required(environment, variable, flag);
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new InputException("$" + variable + " is no number: '" + value + "'", e);
    }
  }

  private static String required(Map<String, String> environment, String variable, String flag) {
    String value = environment.get(variable);
    if (value == null) {
      throw new InputException("neither " + flag + " nor $" + variable + " is given");
    }
    return value;
  }
}
