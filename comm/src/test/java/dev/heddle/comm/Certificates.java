package dev.heddle.comm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates and their keys in PEM files, made by the JDK's keytool. */
final class Certificates {
  private static final String PASSWORD = "password";
  private static final Tls SHARED = make();

  private Certificates() {}

  /** One that signed itself, for all workers of a run. */
  static Tls shared() {
    return SHARED;
  }

  private static Tls make() {
    try {
      Path folder = Files.createTempDirectory("certificates-");
      Path certificate = selfSigned(folder, "shared");
      Tls tls = Tls.of(certificate, key(folder, "shared"), null);
      for (String file : new String[] {"shared.p12", "shared.pem", "shared.key"}) {
        Files.delete(folder.resolve(file));
      }
      Files.delete(folder);
      return tls;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a certificate that signed itself; its key is {@link #key}. */
  static Path selfSigned(Path folder, String name) {
    keytool(folder, name, "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name, "-ext", "bc");
    return export(folder, name);
  }

  /** Makes a certificate that another has signed. */
  static Path signed(Path folder, String name, String authority) {
    keytool(folder, name, "-genkeypair", "-keyalg", "EC", "-dname", "CN=" + name);
    String request = folder.resolve(name + ".csr").toString();
    String answer = folder.resolve(name + ".pem").toString();
    keytool(folder, name, "-certreq", "-file", request);
    keytool(folder, authority, "-gencert", "-rfc", "-infile", request, "-outfile", answer);
    exportKey(folder, name);
    return Path.of(answer);
  }

  /** The key of a certificate that was made. */
  static Path key(Path folder, String name) {
    return folder.resolve(name + ".key");
  }

  private static void keytool(Path folder, String name, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(args));
    command.add("-J-XX:TieredStopAtLevel=1");
    command.addAll(List.of("-alias", "mine", "-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", folder.resolve(name + ".p12").toString()));
    if (!args[0].equals("-certreq")) {
      command.addAll(List.of("-validity", "3650"));
    }
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new AssertionError(printed);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Path export(Path folder, String name) {
    exportKey(folder, name);
    try {
      byte[] certificate = store(folder, name).getCertificate("mine").getEncoded();
      return pem(folder.resolve(name + ".pem"), "CERTIFICATE", certificate);
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void exportKey(Path folder, String name) {
    try {
      var key = store(folder, name).getKey("mine", PASSWORD.toCharArray());
      Path _ = pem(key(folder, name), "PRIVATE KEY", key.getEncoded());
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private static KeyStore store(Path folder, String name)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve(name + ".p12"))) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }

  private static Path pem(Path file, String what, byte[] bytes) throws IOException {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return Files.writeString(
        file, "-----BEGIN " + what + "-----\n" + lines + "\n-----END " + what + "-----\n");
  }
}
