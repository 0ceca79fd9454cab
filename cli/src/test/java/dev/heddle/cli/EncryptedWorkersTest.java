package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that encrypt what they say, with certificates from PEM files. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class EncryptedWorkersTest {
  private static final String PASSWORD = "password";

  @TempDir private Path folder;

  /** Makes a certificate that signed itself; the options that say so. */
  private String[] certificate(String name)
      throws IOException, InterruptedException, GeneralSecurityException {
    Path store = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-alias",
                name,
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool").toFile())
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore made = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      made.load(in, PASSWORD.toCharArray());
    }
    String shown = pem(name + ".pem", "CERTIFICATE", made.getCertificate(name).getEncoded());
    byte[] key = made.getKey(name, PASSWORD.toCharArray()).getEncoded();
    return new String[] {"--tls-cert", shown, "--tls-key", pem(name + ".key", "PRIVATE KEY", key)};
  }

  private String pem(String file, String what, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder().encodeToString(bytes);
    String lines = "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    return Files.writeString(folder.resolve(file), lines).toString();
  }

  @Test
  void comeToTheSameBits() throws Exception {
    String graph = RingGraph.write(folder.resolve("rings"), 40).toString();
    String[] options = {"train", "--graph", graph, "--epochs", "20", "--workers", "2", "--out"};
    Path plain = folder.resolve("plain");
    assertThat(Ran.heddle(with(options, plain.toString())).exit()).isZero();
    Path encrypted = folder.resolve("encrypted");
    String[] processes = with(options, encrypted.toString(), "--processes");
    Child child = Child.start(folder.resolve("printed"), with(processes, certificate("everyone")));
    assertThat(child.await()).as(child.printed()).isZero();
    assertThat(encrypted.resolve(RunFolder.MODEL))
        .hasSameBinaryContentAs(plain.resolve(RunFolder.MODEL));
  }

  @Test
  void refuseAnotherCertificateInOneLine() throws Exception {
    String[] wrong = certificate("wrong");
    try (WorkerRun workers = new WorkerRun(folder.resolve("workers"), certificate("right"))) {
      workers.start(0);
      int port = workers.awaitPort(0);
      String[] stranger = {"worker", "--rank", "1", "--world", "3"};
      ProcessBuilder command =
          Child.command(
              Heddle.class, with(with(stranger, "--rendezvous", "127.0.0.1:" + port), wrong));
      command.environment().put(WorkerProcesses.SECRET, WorkerRun.SECRET);
      Child child = Child.start(folder.resolve("printed"), command);
      assertThat(child.await()).isEqualTo(1);
      assertThat(child.printed().lines().filter(line -> line.startsWith("heddle: ")))
          .singleElement()
          .asString()
          .contains("no connection to rank 0: its certificate cannot be trusted");
    }
  }

  @Test
  void needBothFiles() {
    Ran ran = Ran.heddle("train", "--workers", "2", "--processes", "--tls-cert", "some.pem");
    assertThat(ran.exit()).isEqualTo(2);
    assertThat(ran.err()).contains("TLS needs both --tls-cert and --tls-key");
  }
}
