package dev.heddle.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;

/** The tables of docs/guide/tables.md: people as a shop has them, in Latin-1 with semicolons. */
final class PeopleTables {
  static final int PEOPLE = 20_000;
  private static final long FIRST_ID = 7_205_759_403_792_793_600L;
  private static final String[] COUNTRIES = {"España", "Österreich", "Perú", "France"};
  private static final String[] HABITS = {
    "buys early; returns nothing", "reads, then waits", "asks for \"the manager\"", "likes it fast"
  };

  private PeopleTables() {}

  /**
   * Writes people.csv and follows.csv, and a few people who come later: new.csv and
   * new-follows.csv.
   */
  static void write(Path folder) throws IOException {
    write(folder, "", 0, PEOPLE);
    write(folder, "new", PEOPLE, PEOPLE + 100);
  }

  private static void write(Path folder, String later, int from, int to) throws IOException {
    StringBuilder people = new StringBuilder("id;country;signed_up;about;verified;spent;visits");
    people.append(later.isEmpty() ? ";label\n" : "\n");
    StringBuilder follows = new StringBuilder("src;dst\n");
    for (int i = from; i < to; i++) {
      int kind = i * 7 % 4;
      int noise = Math.floorMod(i * 0x9E3779B9, 10);
      int habit = noise < 2 ? noise : kind;
      people.append(FIRST_ID + i).append(';');
      people.append(i % 17 == 0 ? "NA" : COUNTRIES[(kind + i % 3) % 4]).append(';');
      people
          .append(i % 19 == 0 ? "" : LocalDate.of(2015 + kind, 1 + i % 12, 1 + i % 28))
          .append(';');
      people.append('"').append(HABITS[habit].replace("\"", "\"\"")).append("\";");
      people.append(kind < 2 ^ noise == 3 ? "yes" : "no").append(';');
      people.append(i % 11 == 0 ? "" : (kind * 30 + noise) + "," + i % 10).append(';');
      people.append(noise * noise);
      people.append(later.isEmpty() ? ";" + (i % 23 == 0 ? "" : label(kind)) + "\n" : "\n");
      for (int k = 1; k <= 3; k++) {
        int other = from + Math.floorMod(i + 4 * k * (1 + noise), to - from);
        follows.append(FIRST_ID + i).append(';').append(FIRST_ID + other).append('\n');
      }
    }
    String people1 = later.isEmpty() ? "people.csv" : "new.csv";
    String follows1 = later.isEmpty() ? "follows.csv" : "new-follows.csv";
    Files.writeString(folder.resolve(people1), people, StandardCharsets.ISO_8859_1);
    Files.writeString(folder.resolve(follows1), follows, StandardCharsets.ISO_8859_1);
  }

  private static String label(int kind) {
    return kind % 2 == 0 ? "loyal" : "passing";
  }
}
