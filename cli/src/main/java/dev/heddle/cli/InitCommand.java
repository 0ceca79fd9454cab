package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heddle init}: a run file to start from. */
@Command(
    name = "init",
    mixinStandardHelpOptions = true,
    description = "Writes a commented run.yaml with all settings there are.",
    footer = {"", "Example:", "  heddle init --graph cora && heddle train --config run.yaml"})
final class InitCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(arity = "0..1", paramLabel = "<file>", description = "Default: run.yaml.")
  private Path file = Path.of("run.yaml");

  @Option(names = "--graph", description = "The graph it is for (default: wordnet).")
  private String graph = BuiltIn.WORDNET;

  @Option(names = "--schema", description = "Print the JSON Schema of such files instead.")
  private boolean schema;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    CommandLine own = spec.commandLine();
    CommandSpec train = Heddle.trainCommand(own.getParent()).getCommandSpec();
    if (schema) {
      own.getOut().print(RunSchema.of(train));
      own.getOut().flush();
      return 0;
    }
    Map<String, String> suiting = TrainDefaults.suiting(graph);
    String text =
        RunFile.commented(
            train,
            option ->
                Keys.name(option).equals("graph")
                    ? graph
                    : suiting.containsKey(Keys.name(option))
                        ? suiting.get(Keys.name(option))
                        : Keys.initial(option));
    try {
      Files.writeString(file, text, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      throw new InputException(file + ": is there already and stays as it is", e);
    } catch (IOException e) {
      throw new InputException(file + ": cannot be written (" + e.getMessage() + ")", e);
    }
    own.getOut().println("wrote " + file + "; next: heddle train --config " + file);
    return 0;
  }
}
