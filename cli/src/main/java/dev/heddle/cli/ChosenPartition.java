package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.graph.partition.PartitionReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which vertices each of several workers has, and what that costs.
 *
 * @param source the method it was made by, or {@code store}, {@code file} or {@code run} where it
 *     was found
 * @param seconds until it was there
 */
record ChosenPartition(Partition partition, String source, double seconds, PartitionReport report) {
  /** A partition that is there now, and was begun to be looked for at a time in nanoseconds. */
  static ChosenPartition of(Graph graph, Partition partition, String source, long start) {
    double seconds = (System.nanoTime() - start) * 1e-9;
    return new ChosenPartition(partition, source, seconds, PartitionReport.of(graph, partition));
  }

  /** The part of all edges that join vertices of different workers. */
  private double cut() {
    return (double) report.edgesCut() / Math.max(1, report.edges());
  }

  private List<Integer> halo() {
    return report.parts().stream().map(PartitionReport.Part::halo).toList();
  }

  /** What a person wants to know. */
  String line() {
    return String.format(
        Locale.ROOT,
        "%d parts (%s, %.2f s): %.1f %% of edges cut; balance of vertices %.3f, arcs %.3f,"
            + " training vertices %.3f; halo rows %s",
        partition.parts(),
        source,
        seconds,
        100 * cut(),
        report.vertexBalance(),
        report.arcBalance(),
        report.trainBalance(),
        halo().stream().map(String::valueOf).collect(Collectors.joining(" ")));
  }

  /** What a program wants to know; its names are a contract. */
  Map<String, Object> fields() {
    Map<String, Object> balance = new LinkedHashMap<>();
    balance.put("vertices", report.vertexBalance());
    balance.put("arcs", report.arcBalance());
    balance.put("train", report.trainBalance());
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("method", source);
    fields.put("seconds", seconds);
    fields.put("edges", report.edges());
    fields.put("edgesCut", report.edgesCut());
    fields.put("cut", cut());
    fields.put("balance", balance);
    fields.put("haloRows", halo());
    return fields;
  }
}
