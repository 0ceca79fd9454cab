package dev.heddle.launcher;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What {@code java -jar heddle.jar} runs, also on an older Java: finds one that is new enough and
 * starts Heddle on it with the flags it needs. Compiled for Java 17.
 */
public final class Launcher {
  private static final Runtime.Version OLDEST = Runtime.Version.parse("25.0.3");

  /** Those of the {@code heddle} script, which says why. */
  private static final List<String> FLAGS =
      List.of(
          "--add-modules=jdk.incubator.vector",
          "--enable-native-access=ALL-UNNAMED",
          "-XX:+UseSerialGC",
          "-Xms8m",
          "-XX:MinHeapFreeRatio=10",
          "-XX:MaxHeapFreeRatio=20",
          "-XX:-ShrinkHeapInSteps",
          "-XX:TrimNativeHeapInterval=1000");

  private static final String[] PLACES =
      System.getProperty("heddle.java.places", "/usr/lib/jvm:/opt/java:/opt").split(":");

  private Launcher() {}

  public static void main(String[] args) throws Exception {
    Path java = findJava();
    if (java == null) {
      System.err.println(
          "heddle: needs Java "
              + OLDEST
              + " or newer, but this is "
              + Runtime.version()
              + ". Install one, e.g. Temurin 25, or set HEDDLE_JAVA_HOME.");
      System.exit(2);
      return;
    }
    System.exit(run(java, args));
  }

  private static int run(Path java, String[] args) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(java.toString());
    command.addAll(FLAGS);
    command.add("-cp");
    // Last what only tables need: its jars are opened when a class is nowhere else.
    Path lib = folder().resolve("lib");
    command.add(
        lib
            + File.separator
            + "*"
            + File.pathSeparator
            + lib.resolve("tables")
            + File.separator
            + "*");
    command.add("dev.heddle.cli.Heddle");
    command.addAll(Arrays.asList(args));
    Process process = new ProcessBuilder(command).inheritIO().start();
    // Whoever ends this process means the other.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process), "heddle-end"));
    return process.waitFor();
  }

  private static void end(Process process) {
    process.destroy();
    try {
      int ignored = process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Path folder() throws URISyntaxException {
    var jar = Launcher.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    return Path.of(jar).toAbsolutePath().getParent();
  }

  /** A java that is new enough: this one if it can be, null if there is none. */
  private static Path findJava() throws IOException {
    List<Path> homes = new ArrayList<>();
    add(homes, System.getenv("HEDDLE_JAVA_HOME"));
    add(homes, System.getProperty("java.home"));
    add(homes, System.getenv("JAVA_HOME"));
    for (String place : PLACES) {
      if (Files.isDirectory(Path.of(place))) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(Path.of(place))) {
          found.forEach(homes::add);
        }
      }
    }
    for (Path home : homes) {
      Path java = home.resolve("bin").resolve("java");
      if (Files.isExecutable(java) && isNewEnough(home.resolve("release"))) {
        return java;
      }
    }
    return null;
  }

  private static void add(List<Path> homes, String home) {
    if (home != null && !home.isEmpty()) {
      homes.add(Path.of(home));
    }
  }

  /** The JDK's own word, from its release file. */
  private static boolean isNewEnough(Path release) throws IOException {
    if (!Files.isReadable(release)) {
      return false;
    }
    for (String line : Files.readAllLines(release)) {
      if (line.startsWith("JAVA_VERSION=")) {
        String version = line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
        return Runtime.Version.parse(version.replaceAll("[^0-9.].*", "")).compareTo(OLDEST) >= 0;
      }
    }
    return false;
  }
}
