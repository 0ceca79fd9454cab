package dev.heddle.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code heddle completion}. */
@Command(
    name = "completion",
    mixinStandardHelpOptions = true,
    description = "Prints a script by which bash and zsh complete this command.",
    footer = {"", "Example:", "  source <(heddle completion)"})
final class CompletionCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    CommandLine own = spec.commandLine();
    own.getOut().print(AutoComplete.bash("heddle", own.getParent()));
    own.getOut().flush();
    return 0;
  }
}
