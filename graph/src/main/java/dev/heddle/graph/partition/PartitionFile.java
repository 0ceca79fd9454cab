package dev.heddle.graph.partition;

import dev.heddle.graph.Graph;
import dev.heddle.graph.GraphFormatException;
import dev.heddle.graph.LongIds;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * A partition as text, as METIS writes it: line i has the part of vertex i, from 0.
 *
 * <p>Vertex i is the one that the user counts so: by rising id where ids are numbers, else in the
 * order in which vertices came in.
 */
public final class PartitionFile {
  private PartitionFile() {}

  /** Reads the partition of a graph into so many parts; faults name the line. */
  public static Partition read(Path file, Graph graph, int parts) {
    int[] partOf = new int[graph.vertices()];
    int line = 0;
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        if (text.isBlank() && line == partOf.length) {
          continue;
        }
        line++;
        if (line > partOf.length) {
          throw wrongLength(file, "more", graph);
        }
        partOf[vertex(graph, line - 1)] = part(file, line, text.strip(), parts);
      }
    } catch (NoSuchFileException e) {
      throw new GraphFormatException(file, "no such file", e);
    } catch (MalformedInputException e) {
      throw new GraphFormatException(file, "is not text", e);
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be read: " + reason(e), e);
    }
    if (line < partOf.length) {
      throw wrongLength(file, "only " + line, graph);
    }
    return Partition.of(parts, partOf);
  }

  private static int part(Path file, int line, String text, int parts) {
    int part;
    try {
      part = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new GraphFormatException(file + ", line " + line, "'" + text + "' is no part", e);
    }
    if (part < 0 || part >= parts) {
      throw new GraphFormatException(
          file + ", line " + line, "part " + part + " is not below the " + parts + " parts");
    }
    return part;
  }

  private static GraphFormatException wrongLength(Path file, String has, Graph graph) {
    return new GraphFormatException(
        file, "has " + has + " lines; the graph has " + graph.vertices() + " vertices");
  }

  /** Writes a partition aside and then in place of what is there. */
  public static void write(Partition partition, Graph graph, Path file) {
    Path aside = file.resolveSibling("." + file.getFileName() + ".writing");
    try {
      try (BufferedWriter writer = Files.newBufferedWriter(aside)) {
        for (int i = 0; i < graph.vertices(); i++) {
          writer.write(Integer.toString(partition.partOf(vertex(graph, i))));
          writer.write('\n');
        }
      }
      Files.move(aside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new GraphFormatException(file, "cannot be written: " + reason(e), e);
    }
  }

  private static int vertex(Graph graph, int i) {
    return graph.localIndex(graph.ids() instanceof LongIds ids ? ids.sortedAt(i) : i);
  }

  private static @Nullable String reason(IOException e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }
}
