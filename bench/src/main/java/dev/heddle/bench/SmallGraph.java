package dev.heddle.bench;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.zip.GZIPOutputStream;

/**
 * A graph of a few hundred vertices in communities, with hubs, parallel edges and some vertices
 * without any, written as a folder that {@code heddle} reads. Its draws are those of {@link
 * Random}, whose numbers Java's documentation fixes: every machine writes the same arrays.
 */
record SmallGraph(String name, int vertices, Features features, Labels labels, boolean weighted) {
  /** What is known of a vertex: a row of numbers, or a few words of many. */
  enum Features {
    DENSE,
    WORDS
  }

  /** What is to be learnt: one class, several labels, or a number. */
  enum Labels {
    CLASSES,
    TAGS,
    NUMBERS
  }

  private static final List<SmallGraph> ALL =
      List.of(
          new SmallGraph("communities", 900, Features.DENSE, Labels.CLASSES, false),
          new SmallGraph("words", 700, Features.WORDS, Labels.CLASSES, false),
          new SmallGraph("weighted", 800, Features.DENSE, Labels.CLASSES, true),
          new SmallGraph("tags", 600, Features.DENSE, Labels.TAGS, false),
          new SmallGraph("numbers", 600, Features.DENSE, Labels.NUMBERS, false));

  private static final int COMMUNITIES = 14;
  private static final int CLASSES = 7;
  private static final int EDGES = 4;
  private static final double INSIDE = 0.8;

  /** Of vertices that look for no neighbour, and are found by none. */
  private static final int LONELY = 97;

  /** Fills no whole number of vectors, so that rows have padding. */
  private static final int COLUMNS = 37;

  private static final int WORDS = 300;
  private static final int WORDS_OF_VERTEX = 9;
  private static final int TAGS = 5;

  /** The graph of that name. */
  static SmallGraph named(String name) throws IOException {
    return ALL.stream()
        .filter(g -> g.name.equals(name))
        .findFirst()
        .orElseThrow(() -> new IOException("there is no graph @" + name));
  }

  /** Writes the folder, which is not there yet. */
  void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Random random = new Random(name.length() + 1000L * vertices);
    int[] community = random.ints(vertices, 0, COMMUNITIES).toArray();
    writeEdges(folder, community, random);
    if (features == Features.DENSE) {
      writeDense(folder, community, random);
    } else {
      writeWords(folder, community, random);
    }
    writeLabels(folder.resolve("labels.npy"), community, random);
    writeSplit(folder, random);
  }

  private void writeEdges(Path folder, int[] community, Random random) throws IOException {
    List<List<Integer>> members = new ArrayList<>();
    for (int c = 0; c <= COMMUNITIES; c++) {
      members.add(new ArrayList<>());
    }
    for (int v = 0; v < vertices; v++) {
      if (v % LONELY != 0) {
        members.get(community[v]).add(v);
        members.getLast().add(v);
      }
    }
    try (Writer out =
        new OutputStreamWriter(
            new GZIPOutputStream(Files.newOutputStream(folder.resolve("edges.csv.gz"))),
            StandardCharsets.US_ASCII)) {
      out.write(weighted ? "src,dst,weight\n" : "src,dst\n");
      for (int v : members.getLast()) {
        for (int i = 0; i < EDGES; i++) {
          boolean inside = random.nextDouble() < INSIDE;
          List<Integer> among = inside ? members.get(community[v]) : members.getLast();
          double skewed = random.nextDouble();
          int other = among.get((int) (skewed * skewed * among.size()));
          String weight = weighted ? "," + (1 + random.nextInt(12)) * 0.25 : "";
          if (other != v) {
            out.write(v + "," + other + weight + "\n");
          }
        }
      }
    }
  }

  private void writeDense(Path folder, int[] community, Random random) throws IOException {
    float[] values = new float[vertices * COLUMNS];
    for (int i = 0; i < values.length; i++) {
      boolean tells = i % COLUMNS % COMMUNITIES == community[i / COLUMNS];
      values[i] = (tells ? 0.75f : 0) + 2 * random.nextFloat() - 1;
    }
    NpyFile.write(folder.resolve("features.npy"), values, COLUMNS);
  }

  private void writeWords(Path folder, int[] community, Random random) throws IOException {
    int[] offsets = new int[vertices + 1];
    List<Integer> words = new ArrayList<>();
    for (int v = 0; v < vertices; v++) {
      TreeSet<Integer> row = new TreeSet<>();
      for (int i = 0; i < WORDS_OF_VERTEX; i++) {
        int word = random.nextInt(WORDS);
        row.add(i < WORDS_OF_VERTEX / 3 ? word - word % COMMUNITIES : word);
        row.add((word / COMMUNITIES * COMMUNITIES + community[v]) % WORDS);
      }
      words.addAll(row);
      offsets[v + 1] = words.size();
    }
    float[] counts = new float[words.size()];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = 1 + random.nextInt(3);
    }
    NpyFile.write(folder.resolve("feat_indptr.npy"), offsets, 0);
    int[] columns = words.stream().mapToInt(Integer::intValue).toArray();
    NpyFile.write(folder.resolve("feat_indices.npy"), columns, 0);
    NpyFile.write(folder.resolve("feat_data.npy"), counts, 0);
  }

  private void writeLabels(Path file, int[] community, Random random) throws IOException {
    switch (labels) {
      case CLASSES -> {
        int[] classes = new int[vertices];
        for (int v = 0; v < vertices; v++) {
          classes[v] = random.nextInt(10) == 0 ? random.nextInt(CLASSES) : community[v] % CLASSES;
        }
        NpyFile.write(file, classes, 0);
      }
      case TAGS -> {
        int[] tags = new int[vertices * TAGS];
        for (int i = 0; i < tags.length; i++) {
          boolean has = (community[i / TAGS] + i % TAGS) % 3 == 0;
          tags[i] = has != (random.nextInt(10) == 0) ? 1 : 0;
        }
        NpyFile.write(file, tags, TAGS);
      }
      case NUMBERS -> {
        float[] numbers = new float[vertices];
        for (int v = 0; v < vertices; v++) {
          numbers[v] = community[v] * 0.25f + random.nextFloat();
        }
        NpyFile.write(file, numbers, 0);
      }
    }
  }

  /** Of ten vertices about five are for training, two for validation, two for testing. */
  private void writeSplit(Path folder, Random random) throws IOException {
    List<String> parts = List.of("train", "valid", "test", "none");
    List<StringBuilder> lines = parts.stream().map(_ -> new StringBuilder()).toList();
    for (int v = 0; v < vertices; v++) {
      int drawn = random.nextInt(10);
      int part = drawn < 5 ? 0 : drawn < 7 ? 1 : drawn < 9 ? 2 : 3;
      lines.get(part).append(v).append('\n');
    }
    for (int part = 0; part < 3; part++) {
      Files.writeString(folder.resolve(parts.get(part) + ".txt"), lines.get(part));
    }
  }
}
