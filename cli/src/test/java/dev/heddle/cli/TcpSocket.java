package dev.heddle.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A TCP socket of a process, as Linux tells it.
 *
 * @param descriptor its number in the process
 * @param port on this side
 */
record TcpSocket(int descriptor, int port, int state) {
  private static final int CONNECTED = 0x01;
  private static final int LISTENS = 0x0A;

  /** All sockets of a process, by its number or {@code self}. */
  static List<TcpSocket> of(String process) throws IOException {
    Map<String, Integer> descriptors = new HashMap<>();
    try (Stream<Path> open = Files.list(Path.of("/proc", process, "fd"))) {
      for (Path descriptor : open.toList()) {
        try {
          int number = Integer.parseInt(descriptor.getFileName().toString());
          descriptors.put(Files.readSymbolicLink(descriptor).toString(), number);
        } catch (IOException e) {
          // Closed meanwhile.
        }
      }
    }
    List<TcpSocket> sockets = new ArrayList<>();
    for (String table : new String[] {"tcp", "tcp6"}) {
      for (String line : Files.readAllLines(Path.of("/proc", process, "net", table))) {
        String[] fields = line.strip().split("\\s+", -1);
        Integer descriptor = descriptors.get("socket:[" + fields[9] + "]");
        if (descriptor != null) {
          String port = fields[1].substring(fields[1].indexOf(':') + 1);
          int state = Integer.parseInt(fields[3], 16);
          sockets.add(new TcpSocket(descriptor, Integer.parseInt(port, 16), state));
        }
      }
    }
    return sockets;
  }

  boolean listens() {
    return state == LISTENS;
  }

  boolean connected() {
    return state == CONNECTED;
  }
}
