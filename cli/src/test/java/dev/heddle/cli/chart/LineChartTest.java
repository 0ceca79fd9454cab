package dev.heddle.cli.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.heddle.cli.chart.Curve.Point;
import java.io.StringReader;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Charts: where points lie, whatever the values and names are. */
class LineChartTest {
  private static Document parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  private static Curve curve(String name, double... y) {
    return new Curve(name, IntStream.range(0, y.length).mapToObj(i -> new Point(i, y[i])).toList());
  }

  private static List<String> curves(Document svg) {
    var paths = svg.getElementsByTagName("path");
    return IntStream.range(0, paths.getLength())
        .mapToObj(i -> (Element) paths.item(i))
        .filter(path -> path.getAttribute("class").startsWith("curve"))
        .map(path -> path.getAttribute("d"))
        .filter(way -> way.contains("L"))
        .toList();
  }

  @Test
  void aCurveGoesFromCornerToCorner() throws Exception {
    LineChart chart = new LineChart("t", "x", "y", List.of(curve("a", 0, 5, 10)), false);
    assertThat(curves(parsed(chart.svg()))).containsExactly("M62.0 280.0L343.0 155.0L624.0 30.0");
  }

  @Test
  void equalRatiosAreEqualStepsOfALogarithm() throws Exception {
    LineChart chart = new LineChart("t", "x", "y", List.of(curve("a", 1, 10, 100)), true);
    assertThat(curves(parsed(chart.svg()))).containsExactly("M62.0 280.0L343.0 155.0L624.0 30.0");
    LineChart some = new LineChart("t", "x", "y", List.of(curve("a", 0, 5, 10)), true);
    assertThat(curves(parsed(some.svg()))).containsExactly("M62.0 280.0L343.0 155.0L624.0 30.0");
  }

  @Test
  void whatCannotBeDrawnIsLeftOut() throws Exception {
    Curve holes = curve("a", 1, Double.NaN, 3, Double.POSITIVE_INFINITY);
    assertThat(holes.points()).hasSize(2);
    Curve flat = curve("b", 2, 2);
    for (List<Curve> curves : List.of(List.of(holes), List.of(flat), List.<Curve>of())) {
      String svg = new LineChart("t", "x", "y", curves, true).svg();
      assertThat(svg).doesNotContain("NaN", "Infinity");
      assertThat(parsed(svg)).isNotNull();
    }
  }

  @Test
  void manyPointsAreThinnedAndTheEndsStay() {
    Curve curve = curve("a", IntStream.range(0, 10_001).asDoubleStream().toArray());
    assertThat(curve.points()).hasSize(400);
    assertThat(curve.points().getFirst().x()).isZero();
    assertThat(curve.points().getLast().x()).isEqualTo(10_000);
  }

  @Test
  void linesAreAtRoundValues() {
    assertThat(Axis.of(new double[] {0, 97}, false).lines())
        .containsExactly(0.0, 20.0, 40.0, 60.0, 80.0);
    assertThat(Axis.of(new double[] {0.01, 1}, true).lines()).contains(0.01, 0.1, 1.0);
    assertThat(Axis.label(0.30000000000000004)).isEqualTo("0.3");
    assertThat(Axis.label(1200)).isEqualTo("1200");
    assertThat(Axis.of(new double[] {3, 3}, false).share(3)).isCloseTo(0.5, within(1e-9));
  }

  @Test
  void namesStayText() throws Exception {
    String name = "</text><script>alert('1')</script>&\u0000\ud800 \"x\"";
    Document svg =
        parsed(new LineChart(name, name, name, List.of(curve(name, 1, 2)), false).file());
    assertThat(svg.getElementsByTagName("script").getLength()).isZero();
    assertThat(svg.getDocumentElement().getAttribute("aria-label"))
        .isEqualTo("</text><script>alert('1')</script>&\ufffd\ufffd \"x\"");
  }
}
