package dev.heddle.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A process that is told what to do in lines and answers in JSON; ended when closed. */
final class Peer implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final Process process;
  private final Writer commands;
  private final BufferedReader answers;
  private final JsonNode greeting;

  private Peer(Process process) throws IOException {
    this.process = process;
    commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    greeting = answer();
  }

  /** Starts a process and waits for its first line: ready, or why not. */
  static Peer start(List<String> command) throws IOException {
    return new Peer(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start());
  }

  JsonNode greeting() {
    return greeting;
  }

  boolean failed() {
    return greeting.has("failed");
  }

  JsonNode ask(String command) throws IOException {
    commands.write(command + "\n");
    commands.flush();
    return answer();
  }

  private JsonNode answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      return JSON.createObjectNode().put("failed", "ended without an answer");
    }
    return JSON.readTree(line);
  }

  @Override
  public void close() throws IOException {
    commands.close();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
