package dev.heddle.comm;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Encrypts what workers say, by certificates of the user's. Both ends of a connection show one, and
 * accept any of the given authority, whatever its name; whether a worker belongs to the run is for
 * the secret to say.
 */
public final class Tls {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");

  /** For stores of keys that never leave memory. */
  private static final char[] NO_PASSWORD = {};

  private final SSLContext context;

  private Tls(SSLContext context) {
    this.context = context;
  }

  /**
   * By PEM files.
   *
   * @param certificate what this worker shows, and perhaps the chain up to the authority
   * @param key its private key, as PKCS #8 without a password
   * @param authority certificates of which one must have signed the others'; without any, all
   *     workers show the same certificate
   * @throws IllegalArgumentException for a file that does not hold what it should
   */
  public static Tls of(Path certificate, Path key, @Nullable Path authority) {
    Certificate[] chain = certificates(certificate).toArray(Certificate[]::new);
    PrivateKey secret = key(key, chain[0].getPublicKey().getAlgorithm());
    try {
      KeyStore own = KeyStore.getInstance("PKCS12");
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      load(own);
      load(trusted);
      own.setKeyEntry("worker", secret, NO_PASSWORD, chain);
      int number = 0;
      for (Certificate one : certificates(authority == null ? certificate : authority)) {
        trusted.setCertificateEntry("authority-" + number++, one);
      }
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(own, NO_PASSWORD);
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), new SecureRandom());
      return new Tls(context);
    } catch (GeneralSecurityException e) {
      throw wrong(certificate, "does not go with " + key + " (" + e.getMessage() + ")", e);
    }
  }

  private static void load(KeyStore store) throws GeneralSecurityException {
    try {
      store.load(null, NO_PASSWORD);
    } catch (IOException e) {
      throw new IllegalStateException(e); // There is nothing to read.
    }
  }

  private static Collection<? extends Certificate> certificates(Path file) {
    byte[] bytes = read(file);
    try {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(bytes));
      if (!all.isEmpty()) {
        return all;
      }
    } catch (CertificateException e) {
      throw wrong(file, "holds no certificate in PEM (" + e.getMessage() + ")", e);
    }
    throw wrong(file, "holds no certificate in PEM", null);
  }

  private static PrivateKey key(Path file, String algorithm) {
    Matcher pem = KEY.matcher(new String(read(file), StandardCharsets.US_ASCII));
    if (!pem.find()) {
      throw wrong(
          file,
          "holds no PRIVATE KEY in PEM without a password: openssl pkcs8 -topk8 -nodes makes one",
          null);
    }
    try {
      byte[] bytes = Base64.getMimeDecoder().decode(pem.group(1));
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw wrong(file, "is no key for a certificate of " + algorithm, e);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw wrong(file, "no such file", e);
    } catch (IOException e) {
      throw wrong(file, "cannot be read (" + e.getMessage() + ")", e);
    }
  }

  private static IllegalArgumentException wrong(Path file, String what, @Nullable Exception cause) {
    return new IllegalArgumentException(file + ": " + what, cause);
  }

  /** Of the end that opens a connection. */
  SSLEngine caller() {
    SSLEngine engine = context.createSSLEngine();
    engine.setEnabledProtocols(new String[] {"TLSv1.3"});
    engine.setUseClientMode(true);
    return engine;
  }

  /** Of the end that is called. */
  SSLEngine listener() {
    SSLEngine engine = context.createSSLEngine();
    engine.setEnabledProtocols(new String[] {"TLSv1.3"});
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(true);
    return engine;
  }
}
