package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.heddle.kernel.Memory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted connections; that they carry what others do is for the tests of {@link Fleet}. */
@Timeout(60)
class TlsTest {
  private static final String ROW = "a row that nobody else may read.";

  @TempDir private static Path folder;

  /** One authority, two workers that it signed, and another that signed itself. */
  @BeforeAll
  static void makeCertificates() {
    Path _ = Certificates.selfSigned(folder, "authority");
    Path _ = Certificates.signed(folder, "one", "authority");
    Path _ = Certificates.signed(folder, "two", "authority");
    Path _ = Certificates.selfSigned(folder, "other");
  }

  /** What a worker shows, and whom it trusts. */
  private static Tls tls(String name, String authority) {
    Path key = Certificates.key(folder, name);
    return Tls.of(file(name), key, file(authority));
  }

  private static Path file(String name) {
    return folder.resolve(name + ".pem");
  }

  @Test
  void theWireHoldsNoPlainRows() throws Exception {
    assertThat(overheard(null)).contains(ROW);
    assertThat(overheard(Certificates.shared())).doesNotContain(ROW).hasSizeGreaterThan(1 << 20);
  }

  /** Two workers, one of which sends a megabyte to the other through an eavesdropper. */
  private static String overheard(@Nullable Tls tls) throws Exception {
    byte[] rows = ROW.repeat((1 << 20) / ROW.length()).getBytes(StandardCharsets.ISO_8859_1);
    try (ServerSocketChannel listener = Endpoint.listen(InetAddress.getLoopbackAddress());
        Eavesdropper between =
            new Eavesdropper(((InetSocketAddress) listener.getLocalAddress()).getPort())) {
      CompletableFuture<byte[]> came =
          CompletableFuture.supplyAsync(() -> {
            try (Group group =
                    group(0, Wire.answering(listener.accept(), with(tls, 0, "127.0.0.1:1")));
                Memory memory = new Memory()) {
              MemorySegment into = memory.allocate(rows.length).asSlice(0, rows.length);
              group.receive(1, 0, Kind.HALO, into).await();
              return into.toArray(JAVA_BYTE);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      SocketChannel channel = Endpoint.parse(between.place()).connect();
      try (Group group = group(1, Wire.calling(channel, with(tls, 1, "127.0.0.1:1")));
          Memory memory = new Memory()) {
        MemorySegment from = memory.allocate(rows.length).asSlice(0, rows.length);
        from.copyFrom(MemorySegment.ofArray(rows));
        group.send(0, 0, Kind.HALO, from).await();
      }
      assertThat(came.get()).isEqualTo(rows);
      return new String(between.heard(), StandardCharsets.ISO_8859_1);
    }
  }

  private static Group group(int rank, Wire wire) {
    Member member = new Member(rank, List.of("here", "there"), Fleet.SETTINGS);
    Memory budget = new Memory();
    return Group.of(SocketTransport.over(member, Map.of(1 - rank, wire), budget), budget);
  }

  /** What becomes of a worker that joins another; null if all is well. */
  private static @Nullable GroupException meet(JoinSettings caller, JoinSettings listener)
      throws InterruptedException {
    Thread listening =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try (Group group = Group.join(listener)) {
                group.barrier();
              } catch (GroupException e) {
                // For the caller to tell.
              }
            });
    try (Group group = Group.join(caller)) {
      group.barrier();
      return null;
    } catch (GroupException e) {
      return e;
    } finally {
      listening.join(Duration.ofMillis(100));
      listening.interrupt(); // It would wait for another caller.
      listening.join();
    }
  }

  private static @Nullable GroupException meet(@Nullable Tls caller, @Nullable Tls listener)
      throws IOException, InterruptedException {
    String place = "127.0.0.1:" + Fleet.freePort();
    return meet(with(caller, 1, place), with(listener, 0, place));
  }

  private static JoinSettings with(@Nullable Tls tls, int rank, String place) {
    JoinSettings settings = Fleet.joining(rank, 2, place);
    return tls == null ? settings : settings.withTls(tls);
  }

  @Test
  void acceptsWhoeverTheAuthoritySigned() throws Exception {
    assertThat(meet(tls("one", "authority"), tls("two", "authority"))).isNull();
  }

  @Test
  void refusesCertificatesOfOthers() throws Exception {
    Tls right = tls("one", "authority");
    assertThat(meet(tls("other", "other"), right))
        .hasMessageContaining("no connection to rank 0: its certificate cannot be trusted");
    // It accepts the listener's, but the listener does not accept what it shows.
    assertThat(meet(tls("other", "authority"), right))
        .hasMessageContaining(
            "no connection to rank 0: it does not accept this worker's certificate");
  }

  @Test
  void refusesWhoDoesNotEncrypt() throws Exception {
    assertThat(meet(null, Certificates.shared())).hasMessageContaining("it speaks TLS");
    assertThat(meet(Certificates.shared(), null)).hasMessageContaining("it does not speak TLS");
  }

  /** A certificate alone does not make a worker of a run. */
  @Test
  void asksForTheSecretToo() throws Exception {
    String place = "127.0.0.1:" + Fleet.freePort();
    JoinSettings right = with(Certificates.shared(), 0, place);
    JoinSettings wrong = JoinSettings.of(1, 2, place, "another").withTls(Certificates.shared());
    assertThat(meet(wrong, right)).hasMessageContaining("does not know the secret");
  }

  /** Whoever writes on after the other end sent garbage hears of it, and does not try forever. */
  @Test
  void writesNothingAfterGarbageCame() throws Exception {
    try (ServerSocketChannel listener = Endpoint.listen(InetAddress.getLoopbackAddress())) {
      int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
      CompletableFuture<Wire> answering =
          CompletableFuture.supplyAsync(() -> {
            try {
              return Wire.answering(
                  listener.accept(), with(Certificates.shared(), 0, "127.0.0.1:1"));
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      SocketChannel channel = Endpoint.parse("127.0.0.1:" + port).connect();
      try (Wire caller = Wire.calling(channel, with(Certificates.shared(), 1, "127.0.0.1:1"));
          Wire listening = answering.get()) {
        int _ = listening.socket().write(ByteBuffer.wrap(ROW.getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(() -> caller.read(ROW.length())).isInstanceOf(IOException.class);
        assertTimeoutPreemptively(
            Duration.ofSeconds(10),
            () ->
                assertThatThrownBy(() -> caller.write(ByteBuffer.allocate(1000)))
                    .isInstanceOf(IOException.class));
      }
    }
  }

  @Test
  void namesFilesThatDoNotHoldWhatTheyShould() throws IOException {
    Path certificate = file("one");
    Path key = Certificates.key(folder, "one");
    assertThatThrownBy(() -> Tls.of(folder.resolve("none"), key, null))
        .hasMessageEndingWith("none: no such file");
    assertThatThrownBy(() -> Tls.of(certificate, certificate, null))
        .hasMessageContaining("one.pem: holds no PRIVATE KEY");
    Path empty = Files.writeString(folder.resolve("empty"), "");
    assertThatThrownBy(() -> Tls.of(empty, key, null))
        .hasMessageContaining("empty: holds no certificate");
  }
}
