package dev.heddle.tables.imports;

import dev.heddle.tables.DuckDb;
import dev.heddle.tables.Rows;
import dev.heddle.tables.Sql;
import dev.heddle.tables.TableException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.Writer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Files of a table: Parquet by its first bytes, JSON lines by their name, all else CSV. */
final class SourceFiles {
  private static final byte[] PARQUET = {'P', 'A', 'R', '1'};

  /** Byte order marks of UTF-16. */
  private static final byte[] LITTLE_ENDIAN = {(byte) 0xFF, (byte) 0xFE};

  private static final byte[] BIG_ENDIAN = {(byte) 0xFE, (byte) 0xFF};

  private static final int HEAD = 1 << 16;

  /** Bytes of a row of CSV, roughly; zipped ones are a quarter as long. */
  private static final int ROW_BYTES = 24;

  private final DuckDb db;
  private final String role;
  private final TableSettings settings;

  SourceFiles(DuckDb db, String role, TableSettings settings) {
    this.db = db;
    this.role = role;
    this.settings = settings;
  }

  List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (Path file : files()) {
      try {
        parts.add(part(file, parts.size()));
      } catch (IOException e) {
        throw Problems.of(file.toString(), "cannot be read: " + reason(e));
      }
    }
    return parts;
  }

  private static String reason(IOException e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }

  private List<Path> files() {
    List<Path> files = new ArrayList<>();
    for (String name : settings.files()) {
      boolean glob = name.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{');
      Path file = Path.of(name);
      if (glob && !Files.exists(file)) {
        files.addAll(matching(name));
      } else if (Files.isDirectory(file)) {
        files.addAll(matching(name + "/*"));
      } else if (Files.isRegularFile(file)) {
        files.add(file);
      } else {
        throw Problems.of(name, "no such file");
      }
    }
    return files;
  }

  /**
   * Files that match a glob, by name; those whose names begin with a dot or _ are others' notes.
   */
  private static List<Path> matching(String glob) {
    String before = glob.replaceAll("[*?\\[{].*", "");
    Path root = Path.of(before.substring(0, before.lastIndexOf('/') + 1));
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
    try (Stream<Path> walk = Files.walk(root)) {
      List<Path> found =
          walk.filter(Files::isRegularFile)
              .filter(file -> matcher.matches(file))
              .filter(file -> !String.valueOf(file.getFileName()).matches("[._].*"))
              .sorted()
              .toList();
      if (found.isEmpty()) {
        throw Problems.of(glob, "matches no file");
      }
      return found;
    } catch (IOException e) {
      throw Problems.of(glob, "cannot be listed: " + reason(e));
    }
  }

  private Part part(Path file, int number) throws IOException {
    String name = file.toString();
    if (Files.size(file) == 0) {
      throw Problems.of(name, "empty");
    }
    byte[] first;
    try (var in = Files.newInputStream(file)) {
      first = in.readNBytes(PARQUET.length);
    }
    if (Arrays.equals(first, PARQUET)) {
      return parquet(file);
    }
    String plain = name.toLowerCase(Locale.ROOT).replaceAll("\\.(gz|zst)$", "");
    if (plain.endsWith(".parquet")) {
      throw Problems.of(name, "not a Parquet file: it does not begin with PAR1");
    }
    if (plain.matches(".*\\.(npz|npy|xlsx?|pt|feather|arrow|avro|orc)")) {
      throw Problems.of(
          name,
          "no table that is read here: CSV, TSV, JSON lines and Parquet are, and folders by"
              + " --graph");
    }
    return plain.matches(".*\\.(jsonl|ndjson|json)") ? json(file) : csv(file, number);
  }

  private Part parquet(Path file) {
    String name = file.toString();
    String read = "read_parquet(" + Sql.text(name) + ")";
    try {
      List<String> names = new ArrayList<>();
      long rows = db.number("SELECT num_rows FROM parquet_file_metadata(" + Sql.text(name) + ")");
      return typed(file, read, rows, names, true);
    } catch (TableException e) {
      throw Problems.of(name, "cannot be read as Parquet: " + e.getMessage());
    }
  }

  private Part json(Path file) {
    String read =
        "read_json("
            + Sql.text(file.toString())
            + ", format='newline_delimited', sample_size=-1, map_inference_threshold=-1)";
    try {
      return typed(file, read, -1, new ArrayList<>(), false);
    } catch (TableException e) {
      throw Problems.of(file.toString(), "cannot be read as JSON lines: " + e.getMessage());
    }
  }

  /** A file that says what its columns hold. */
  private Part typed(Path file, String read, long rows, List<String> names, boolean parquet) {
    List<SourceColumn> columns = new ArrayList<>();
    try (Rows described = db.query("DESCRIBE SELECT * FROM " + read)) {
      while (described.next()) {
        String name = String.valueOf(described.textAt(0));
        names.add(name);
        ColumnType type = ColumnType.of(String.valueOf(described.textAt(1)));
        columns.add(new SourceColumn(name, type, "c" + columns.size()));
      }
    }
    CsvHeader.requireDistinct(file.toString(), names);
    String select =
        columns.stream()
            .map(c -> Sql.name(c.name()) + " AS " + c.sql())
            .collect(Collectors.joining(", ", "(SELECT ", " FROM " + read + ")"));
    return new Part(file.toString(), null, null, select, columns, rows, parquet);
  }

  private Part csv(Path file, int number) throws IOException {
    String name = file.toString();
    Path read = utf8(file, number);
    byte[] head = TextBytes.zstd(read) ? zstdHead(read) : TextBytes.head(read, HEAD);
    CsvHeader header = CsvHeader.of(name, head, settings.delimiter());
    List<SourceColumn> columns =
        IntStream.range(0, header.names().size())
            .mapToObj(i -> new SourceColumn(header.names().get(i), ColumnType.TEXT, "c" + i))
            .toList();
    String types =
        columns.stream()
            .map(c -> "'" + c.sql() + "': 'VARCHAR'")
            .collect(Collectors.joining(", ", "{", "}"));
    String relation =
        "read_csv("
            + Sql.text(read.toString())
            + ", auto_detect=false, header=false, skip=1, quote='\"', escape='\"',"
            + " store_rejects=true, rejects_limit=1000, delim="
            + Sql.text(String.valueOf(header.delimiter()))
            + ", new_line='"
            + header.newLine()
            + "', columns="
            + types
            + ")";
    boolean zipped = TextBytes.zstd(file) || TextBytes.gzip(file);
    long rows = Files.size(file) / ROW_BYTES * (zipped ? 4 : 1);
    return new Part(name, file, read, relation, columns, rows, false);
  }

  private byte[] zstdHead(Path file) {
    String sql =
        "SELECT line FROM read_csv("
            + Sql.text(file.toString())
            + ", auto_detect=false, header=false, delim='\\x01', quote='', escape='',"
            + " columns={'line': 'VARCHAR'}) LIMIT 1";
    try (Rows rows = db.query(sql)) {
      String line = rows.next() ? rows.textAt(0) : null;
      return ((line == null ? "" : line) + "\n").getBytes(StandardCharsets.UTF_8);
    } catch (TableException e) {
      throw Problems.of(file.toString(), "cannot be read: " + e.getMessage());
    }
  }

  /** The file, or a copy in UTF-8 where it is encoded otherwise. */
  private Path utf8(Path file, int number) throws IOException {
    Charset charset = charset(file);
    if (charset == null) {
      if (!TextBytes.zstd(file)) {
        long line = TextBytes.firstLineNotUtf8(file);
        if (line > 0) {
          throw Problems.of(
              file + ", line " + line,
              "not UTF-8: say --encoding latin-1 (or windows-1252, utf-16 …) if that is what it"
                  + " is");
        }
      }
      return file;
    }
    Path copy = db.scratch(role + "." + number + ".csv");
    try (Reader in =
            new InputStreamReader(
                TextBytes.open(file),
                charset
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT));
        Writer out = Files.newBufferedWriter(copy, StandardCharsets.UTF_8)) {
      long _ = in.transferTo(out);
    } catch (CharacterCodingException e) {
      throw Problems.of(file.toString(), "not " + charset + " throughout, as --encoding says");
    }
    return copy;
  }

  private @Nullable Charset charset(Path file) throws IOException {
    if (!TextBytes.zstd(file)) {
      byte[] head = TextBytes.head(file, 2);
      if (Arrays.equals(head, LITTLE_ENDIAN) || Arrays.equals(head, BIG_ENDIAN)) {
        return StandardCharsets.UTF_16;
      }
    }
    String said = settings.encoding();
    if (said == null || said.equalsIgnoreCase("utf-8")) {
      return null;
    }
    try {
      return said.equalsIgnoreCase("latin-1") ? StandardCharsets.ISO_8859_1 : Charset.forName(said);
    } catch (IllegalArgumentException e) {
      throw Problems.of(
          "--encoding", "'" + said + "' is unknown; latin-1, windows-1252, utf-16 are some");
    }
  }
}
