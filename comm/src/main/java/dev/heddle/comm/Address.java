package dev.heddle.comm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a worker can be reached.
 *
 * @param host for people to read
 * @param machine the same for workers that may share Unix sockets
 * @param endpoints the fastest first
 */
record Address(String host, String machine, List<Endpoint> endpoints) {
  /** Of this process. */
  static Address here(List<Endpoint> endpoints) {
    return new Address(hostName(), machineId(), endpoints);
  }

  /** Not by the resolver, which may take its time to find no answer. */
  private static String hostName() {
    return word("/proc/sys/kernel/hostname", System.getenv().getOrDefault("HOSTNAME", "this host"));
  }

  /** Changes with every boot, so that no two running machines have the same. */
  private static String machineId() {
    return word("/proc/sys/kernel/random/boot_id", hostName());
  }

  private static String word(String file, String otherwise) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      return otherwise;
    }
  }

  /** Endpoints that can work from here. A container sees no path of another. */
  List<Endpoint> reachableFrom(Address other) {
    return endpoints.stream()
        .filter(e -> !e.isUnix() || (machine.equals(other.machine) && Files.exists(e.path())))
        .toList();
  }

  static byte[] encode(List<Address> addresses) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(addresses.size());
    for (Address address : addresses) {
      out.writeUTF(address.host);
      out.writeUTF(address.machine);
      out.writeByte(address.endpoints.size());
      for (Endpoint endpoint : address.endpoints) {
        out.writeUTF(endpoint.words());
      }
    }
    return bytes.toByteArray();
  }

  static List<Address> decode(byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int count = in.readInt();
    List<Address> addresses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String host = in.readUTF();
      String machine = in.readUTF();
      List<Endpoint> endpoints = new ArrayList<>();
      for (int left = in.readByte(); left > 0; left--) {
        endpoints.add(Endpoint.parse(in.readUTF()));
      }
      addresses.add(new Address(host, machine, endpoints));
    }
    return addresses;
  }
}
