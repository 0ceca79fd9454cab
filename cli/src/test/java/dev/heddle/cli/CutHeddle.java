package dev.heddle.cli;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Random;

/**
 * The command, in a process that shuts down one of its own sockets when it is told a seed on
 * standard input: the operating system does it, Heddle does not know.
 */
final class CutHeddle {
  private static final int BOTH_WAYS = 2;

  private CutHeddle() {}

  public static void main(String[] args) {
    Thread.ofPlatform().daemon().start(CutHeddle::await);
    Heddle.main(args);
  }

  private static void await() {
    try {
      byte[] word = System.in.readNBytes(1);
      if (word.length == 1) {
        cut(new Random(word[0]));
      }
    } catch (Throwable e) {
      System.out.println("cannot cut: " + e);
    }
  }

  private static void cut(Random random) throws Throwable {
    List<TcpSocket> sockets = TcpSocket.of("self").stream().filter(TcpSocket::connected).toList();
    Linker linker = Linker.nativeLinker();
    MethodHandle shutdown =
        linker.downcallHandle(
            linker.defaultLookup().find("shutdown").orElseThrow(),
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    int socket = sockets.get(random.nextInt(sockets.size())).descriptor();
    int _ = (int) shutdown.invokeExact(socket, BOTH_WAYS);
  }
}
