package dev.heddle.cli;

import dev.heddle.cli.ui.PageServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code heddle ui}: a page for runs, those that go on too. */
@Command(
    name = "ui",
    mixinStandardHelpOptions = true,
    description = {
      "Shows runs on a page in the browser: a table of all, curves side by side, and those that go on"
          + " as they go.",
      "The page is served to this machine alone, until Ctrl-C."
    },
    footer = {"", "Examples:", "  heddle ui", "  heddle ui experiments/ --port 8080"})
final class UiCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "<folder>",
      description = "Where runs are, also in folders within it (default: runs).")
  private Path folder = Path.of("runs");

  @Option(
      names = "--port",
      description = "Port of the page; 0 for any that is free (default: ${DEFAULT-VALUE}).")
  private int port = 7070;

  @Override
  public Integer call() throws InterruptedException {
    if (spec == null) {
      throw new IllegalStateException("not started by picocli");
    }
    if (port < 0 || port > 65535) {
      throw new InputException("--port is a number from 0 to 65535, not " + port);
    }
    if (!Files.isDirectory(folder)) {
      throw new InputException(
          folder + ": no such folder; heddle train makes runs, or say where they are");
    }
    CountDownLatch asked = new CountDownLatch(1);
    Thread hook = Thread.ofPlatform().name("heddle-ui-end").unstarted(asked::countDown);
    try (PageServer page = PageServer.start(folder, port)) {
      Runtime.getRuntime().addShutdownHook(hook);
      spec.commandLine().getOut().println(page.address());
      spec.commandLine().getOut().flush();
      asked.await();
    }
    return 0;
  }
}
