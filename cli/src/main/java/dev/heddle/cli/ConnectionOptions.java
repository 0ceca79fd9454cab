package dev.heddle.cli;

import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.Tls;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say how workers make sure of each other. */
final class ConnectionOptions {
  @Option(
      names = "--unix-sockets",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description = "Processes of one host are joined by Unix sockets; else by TCP as others are.")
  private boolean unixSockets = true;

  @Option(
      names = "--silence",
      paramLabel = "<seconds>",
      description =
          "Without a sign of life for so long, a worker counts as lost (default:"
              + " ${DEFAULT-VALUE}).")
  private double silence = seconds(GroupSettings.DEFAULT.silence());

  @Option(
      names = "--wait",
      paramLabel = "<seconds>",
      description =
          "A worker that lives may keep others waiting for so long (default: ${DEFAULT-VALUE}).")
  private double wait = seconds(GroupSettings.DEFAULT.patience());

  @Option(
      names = "--tls-cert",
      paramLabel = "<file>",
      description =
          "Encrypt what workers say to each other (TLS 1.3), and show this certificate: a PEM file.")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "<file>",
      description = "Private key of --tls-cert: a PEM file, PKCS #8 without a password.")
  private @Nullable Path key;

  @Option(
      names = "--tls-ca",
      paramLabel = "<file>",
      description =
          "Accept certificates that one of these has signed: a PEM file (default: --tls-cert"
              + " itself, which all workers then show).")
  private @Nullable Path authority;

  /** How connections are encrypted; null if they are not. */
  @Nullable Tls tls() {
    if (certificate == null && key == null && authority == null) {
      return null;
    }
    if (certificate == null || key == null) {
      throw new InputException("TLS needs both --tls-cert and --tls-key");
    }
    return Tls.of(certificate, key, authority);
  }

  private static double seconds(Duration time) {
    return time.toMillis() * 1e-3;
  }

  boolean unixSockets() {
    return unixSockets;
  }

  GroupSettings group() {
    return GroupSettings.DEFAULT
        .withSilence(duration("--silence", silence))
        .withPatience(duration("--wait", wait));
  }

  private static Duration duration(String flag, double seconds) {
    if (!(seconds >= 0.001) || seconds > 1e9) {
      throw new InputException(flag + " must be a positive number of seconds, not " + seconds);
    }
    return Duration.ofMillis(Math.round(seconds * 1e3));
  }
}
