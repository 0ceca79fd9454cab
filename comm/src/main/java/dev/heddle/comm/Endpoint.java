package dev.heddle.comm;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Where a worker listens: {@code host:port} or {@code unix:/path}. */
record Endpoint(String words) {
  private static final String UNIX = "unix:";

  static Endpoint parse(String words) {
    if (!words.startsWith(UNIX) && !words.matches(".+:[0-9]{1,5}")) {
      throw new IllegalArgumentException("'" + words + "' is neither host:port nor unix:/path");
    }
    return new Endpoint(words);
  }

  static Endpoint unix(Path path) {
    return new Endpoint(UNIX + path);
  }

  /** Where a channel listens. */
  static Endpoint of(ServerSocketChannel channel) throws IOException {
    return channel.getLocalAddress() instanceof InetSocketAddress inet
        ? new Endpoint(inet.getAddress().getHostAddress() + ":" + inet.getPort())
        : new Endpoint(UNIX + channel.getLocalAddress());
  }

  /** Any free port of an address. */
  static ServerSocketChannel listen(InetAddress address) throws IOException {
    return ServerSocketChannel.open().bind(new InetSocketAddress(address, 0));
  }

  boolean isUnix() {
    return words.startsWith(UNIX);
  }

  Path path() {
    return Path.of(words.substring(UNIX.length()));
  }

  private SocketAddress address() throws IOException {
    if (isUnix()) {
      return UnixDomainSocketAddress.of(path());
    }
    int colon = words.lastIndexOf(':');
    // An IPv6 address may stand in brackets.
    String host = words.substring(0, colon).replaceAll("^\\[|]$", "");
    InetAddress known = InetAddress.getByName(host);
    return new InetSocketAddress(known, Integer.parseInt(words.substring(colon + 1)));
  }

  ServerSocketChannel listen() throws IOException {
    if (isUnix()) {
      return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address());
    }
    ServerSocketChannel channel = ServerSocketChannel.open();
    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    return channel.bind(address());
  }

  SocketChannel connect() throws IOException {
    SocketChannel channel = SocketChannel.open(address());
    tune(channel);
    return channel;
  }

  /** Small messages must not wait for larger ones. */
  static void tune(SocketChannel channel) throws IOException {
    if (channel.getRemoteAddress() instanceof InetSocketAddress) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }
  }

  @Override
  public String toString() {
    return words;
  }
}
