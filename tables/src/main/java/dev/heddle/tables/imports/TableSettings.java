package dev.heddle.tables.imports;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a table is and how it is written down.
 *
 * @param files names, folders or globs; or one URL of a database, {@code jdbc:…}
 * @param query what is asked of the database; null for files
 * @param encoding of CSV; null for UTF-8 or what a byte order mark says
 * @param delimiter of CSV; 0 to take what the header has
 */
public record TableSettings(
    List<String> files, @Nullable String query, @Nullable String encoding, char delimiter) {
  public TableSettings {
    files = List.copyOf(files);
  }

  /** Files that speak for themselves. */
  public static TableSettings of(String... files) {
    return new TableSettings(List.of(files), null, null, (char) 0);
  }
}
