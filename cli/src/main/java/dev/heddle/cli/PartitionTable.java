package dev.heddle.cli;

import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.PartitionReport;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What {@code heddle partition} says of a partition, as lines or as JSON. */
final class PartitionTable {
  private final Graph graph;
  private final PartitionReport report;
  private final double seconds;

  PartitionTable(Graph graph, PartitionReport report, double seconds) {
    this.graph = graph;
    this.report = report;
    this.seconds = seconds;
  }

  void print(PrintWriter out) {
    out.printf(Locale.ROOT, "%-6s%12s%14s%10s%12s%n", "part", "vertices", "arcs", "train", "halo");
    for (int i = 0; i < report.parts().size(); i++) {
      PartitionReport.Part part = report.parts().get(i);
      out.printf(
          Locale.ROOT,
          "%-6d%,12d%,14d%,10d%,12d%n",
          i,
          part.vertices(),
          part.arcs(),
          part.train(),
          part.halo());
    }
    out.printf(
        Locale.ROOT,
        "%-6s%12.3f%14.3f%10.3f%,12d%n%n",
        "",
        report.vertexBalance(),
        report.arcBalance(),
        report.trainBalance(),
        report.halo());
    out.printf(
        Locale.ROOT,
        "cut      %,d of %,d edges (%.1f %%), %,d of %,d arcs%n",
        report.edgesCut(),
        report.edges(),
        100.0 * report.edgesCut() / Math.max(1, report.edges()),
        report.arcsCut(),
        report.arcs());
    out.printf(Locale.ROOT, "time     %.2f s%n", seconds);
    out.printf(Locale.ROOT, "memory   %.0f MB at the peak%n", SystemMemory.peakBytes() / 1e6);
  }

  String toJson() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("graph", graph.name());
    all.put("vertices", graph.vertices());
    all.put("edges", report.edges());
    all.put("edgesCut", report.edgesCut());
    all.put("arcs", report.arcs());
    all.put("arcsCut", report.arcsCut());
    Map<String, Object> balance = new LinkedHashMap<>();
    balance.put("vertices", report.vertexBalance());
    balance.put("arcs", report.arcBalance());
    balance.put("train", report.trainBalance());
    all.put("balance", balance);
    all.put("halo", report.halo());
    all.put("parts", report.parts());
    all.put("seconds", seconds);
    all.put("peakMemoryBytes", SystemMemory.peakBytes());
    return new JsonMapper().writeValueAsString(all);
  }
}
