package dev.heddle.cli.chart;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Rows of text under headings: for a terminal, Markdown, a spreadsheet or a page. */
public record Table(List<String> heads, List<List<String>> rows) {
  public Table {
    heads = List.copyOf(heads);
    rows = List.copyOf(rows);
  }

  /** In columns; all but the first and last end at their right. */
  public String text() {
    int[] widths = new int[heads.size()];
    measure(widths, heads);
    rows.forEach(row -> measure(widths, row));
    StringBuilder text = new StringBuilder(line(widths, heads));
    rows.forEach(row -> text.append(line(widths, row)));
    return text.toString();
  }

  private static void measure(int[] widths, List<String> row) {
    Arrays.setAll(widths, i -> Math.max(widths[i], printable(row.get(i)).length()));
  }

  private String line(int[] widths, List<String> row) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.size(); i++) {
      String cell = printable(row.get(i));
      String room = " ".repeat(widths[i] - cell.length());
      line.append(i == 0 ? "" : "  ").append(isText(i) ? cell + room : room + cell);
    }
    return line.toString().stripTrailing() + System.lineSeparator();
  }

  private boolean isText(int column) {
    return column == 0 || column == heads.size() - 1;
  }

  /** Without what a terminal would obey, and on one line. */
  private static String printable(String cell) {
    return cell.replaceAll("\\p{Cntrl}", " ");
  }

  public String markdown() {
    StringBuilder text = new StringBuilder();
    text.append(markdown(heads)).append("|");
    for (int i = 0; i < heads.size(); i++) {
      text.append(isText(i) ? "---|" : "---:|");
    }
    text.append('\n');
    rows.forEach(row -> text.append(markdown(row)));
    return text.toString();
  }

  private static String markdown(List<String> row) {
    return row.stream()
        .map(cell -> inMarkdown(cell).replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }

  /** Text that Markdown takes for nothing else. */
  public static String inMarkdown(String text) {
    return printable(text).replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\");
  }

  /** As RFC 4180 has it. */
  public String csv() {
    StringBuilder text = new StringBuilder(csv(heads));
    rows.forEach(row -> text.append(csv(row)));
    return text.toString();
  }

  private static String csv(List<String> row) {
    return row.stream()
        .map(cell ->
            cell.matches("(?s).*[\",\r\n].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell)
        .collect(Collectors.joining(",", "", "\n"));
  }

  public String html() {
    StringBuilder text = new StringBuilder("<div class=\"scroll\"><table>\n<thead><tr>");
    heads.forEach(head -> text.append("<th scope=\"col\">" + Markup.escaped(head) + "</th>"));
    text.append("</tr></thead>\n<tbody>\n");
    for (List<String> row : rows) {
      text.append("<tr><th scope=\"row\">").append(Markup.escaped(row.getFirst())).append("</th>");
      for (int i = 1; i < row.size(); i++) {
        text.append(isText(i) ? "<td>" : "<td class=\"n\">");
        text.append(Markup.escaped(row.get(i))).append("</td>");
      }
      text.append("</tr>\n");
    }
    return text.append("</tbody></table></div>\n").toString();
  }
}
