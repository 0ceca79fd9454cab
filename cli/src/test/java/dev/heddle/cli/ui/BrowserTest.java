package dev.heddle.cli.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page as its readers meet it: every view, by mouse and by keyboard alone. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BrowserTest {
  /** What a careless page would run. */
  private static final String MARKUP = "<img src=x onerror=window.hit=1>";

  @TempDir private static Path root;
  private static Browser browser;

  @BeforeAll
  static void start() throws IOException {
    browser = Browser.start();
    for (int i = 0; i < 3; i++) {
      write("sweep/run-" + i, "model: gcn\nlr: 0.0" + (i + 1) + "\nepochs: 4\n", i);
    }
    write("odd", "model: sage\nepochs: 4\nsave: '" + MARKUP + "'\n", 5);
  }

  @AfterAll
  static void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  private static void write(String id, String config, int salt) throws IOException {
    Path folder = Files.createDirectories(root.resolve(id));
    Files.writeString(folder.resolve("run.yaml"), config);
    Files.writeString(folder.resolve("metrics.jsonl"), line(1, salt) + line(2, salt));
    Files.writeString(
        folder.resolve("summary.json"),
        """
        {"metric":"accuracy","test":0.%d,"valid":0.5,
         "sent":{"bytes":2000,"bytesPerEpoch":1000,
                 "byKind":{"halo":{"bytes":2000,"messages":4}}},
         "stageSeconds":{"compute":1.5,"exchange":0.5},
         "workerSeconds":[{"worker":0,
             "threads":[{"thread":"train","busy":1.5,"blocked":0,"starved":0.5,"idle":0}]}],
         "peakMemoryBytes":{"native":1000000}}
        """
            .formatted(salt + 1));
  }

  private static String line(int epoch, int salt) {
    return "{\"epoch\":%d,\"loss\":%s,\"seconds\":0.5,\"valid\":0.5}%n"
        .formatted(epoch, 1.0 / (epoch + salt));
  }

  private static List<String> column(int number) {
    return browser.all("#runs tbody tr td:nth-child(" + number + ")").stream()
        .map(WebElement::getText)
        .toList();
  }

  @Test
  void sortsFiltersAndComparesRuns() {
    try (PageServer page = PageServer.start(root, 0)) {
      browser.open(page.address());
      browser.awaitText("4 shown, 4 of 4 runs read");
      browser.one("button[data-key=test]").click();
      assertThat(column(2)).containsExactly("sweep/run-0", "sweep/run-1", "sweep/run-2", "odd");
      browser.one("button[data-key=test]").click();
      assertThat(column(2).getFirst()).isEqualTo("odd");
      // What is the same everywhere is no column; what differs is.
      assertThat(browser.all("button[data-key=lr]")).hasSize(1);
      assertThat(browser.all("button[data-key=epochs]")).isEmpty();
      browser.one("#filter").sendKeys("model=gcn test>0.15");
      browser.awaitText("2 shown");
      for (WebElement box : browser.all("#runs tbody input")) {
        box.click();
      }
      browser.one("main button:not([data-key])").click();
      browser.awaitText("Comparing 2 runs");
      assertThat(browser.all("figure canvas")).hasSizeGreaterThanOrEqualTo(2);
      browser.one("#over").sendKeys("bytes sent");
      browser.one("figure details summary").click();
      // Two epochs of a thousand bytes.
      browser.awaitText("2,000");
      assertThat(browser.text()).contains("Save as CSV", "lr", "0.02", "0.03");
    }
  }

  @Test
  void worksByKeyboardAlone() {
    try (PageServer page = PageServer.start(root, 0)) {
      browser.open(page.address());
      browser.awaitText("4 shown");
      browser.tabTo("#filter");
      browser.press("run-1");
      browser.awaitText("1 shown");
      browser.tabTo("#runs button[data-key=loss]");
      browser.press(Keys.ENTER);
      assertThat(browser.one("th[aria-sort=ascending]").getText()).startsWith("loss");
      browser.tabTo("#runs input");
      browser.press(Keys.SPACE);
      browser.tabTo("#runs a");
      browser.press(Keys.ENTER);
      browser.awaitText("test, at the best epoch");
      assertThat(browser.address()).endsWith("#/run/sweep/run-1");
      browser.tabTo("figure details summary");
      browser.press(Keys.ENTER);
      browser.awaitText("Save as CSV");
    }
  }

  /** What stands in a run's files is shown as it stands, and nothing of it is run. */
  @Test
  void namesAreNoMarkup() {
    try (PageServer page = PageServer.start(root, 0)) {
      browser.open(page.address());
      browser.awaitText(MARKUP);
      browser.open(page.address() + "#/run/odd");
      browser.one("main > details summary").click();
      browser.awaitText(MARKUP);
      browser.open(page.address() + "#/compare?runs=odd,sweep%2Frun-0");
      browser.awaitText(MARKUP);
      browser.open(page.address() + "#/run/" + "%3Cimg%20src=x%20onerror=window.hit=1%3E");
      browser.awaitText("there is no run '" + MARKUP + "'");
      assertThat(browser.script("return window.hit")).isNull();
    }
  }

  /** Epochs and workers appear as they come, the button ends the run, and its end is told. */
  @Test
  void showsARunAsItGoes(@TempDir Path runs) throws Exception {
    Path folder = Files.createDirectories(runs.resolve("live"));
    Files.writeString(folder.resolve("run.yaml"), "model: gcn\nepochs: 9\n");
    Files.writeString(folder.resolve("metrics.jsonl"), line(1, 0));
    CountDownLatch stopped = new CountDownLatch(1);
    RunControl control =
        new RunControl() {
          @Override
          public Path folder() {
            return folder;
          }

          @Override
          public void stop() {
            stopped.countDown();
          }
        };
    try (PageServer page = PageServer.start(runs, 0, control)) {
      browser.open(page.address());
      browser.awaitText("1 of 9");
      Files.writeString(folder.resolve("metrics.jsonl"), line(2, 0), StandardOpenOption.APPEND);
      browser.awaitText("2 of 9");
      Path live = Files.createDirectories(folder.resolve("live"));
      for (int worker = 0; worker < 2; worker++) {
        Files.writeString(
            live.resolve("worker-" + worker + ".json"),
            """
            {"worker":%d,"memory":{"taken":1000,"peak":2000,"limit":4000},
             "sent":[["halo",%d,5000,3]],
             "threads":[{"thread":"train","busy":1.0,"blocked":0,"starved":0.5,"idle":0,
                         "spans":[["compute","busy",1,0,0.1,0.4]]}]}
            """
                .formatted(worker, 1 - worker));
      }
      browser.awaitText("worker 1: 1.00 KB taken, 2.00 KB at the peak of 4.00 KB.");
      browser.await(
          "a matrix of bytes",
          () ->
              browser.all(".matrix td").stream()
                  .map(WebElement::getText)
                  .toList()
                  .equals(List.of("–", "5.00 KB", "5.00 KB", "–")));
      assertThat(browser.all("canvas.timeline")).hasSize(1);
      browser.await(
          "a button to end it",
          () -> browser.all(".bar-of-tools > button").getFirst().isDisplayed());
      browser.all(".bar-of-tools > button").getFirst().click();
      assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
      browser.awaitText("The run ends after its epoch");
    }
    browser.awaitText("The run is interrupted, and its page went with it");
  }

  /** Who has not the secret sees all, and cannot end the run. */
  @Test
  void withoutTheSecretARunIsOnlyLookedAt(@TempDir Path runs) throws Exception {
    Path folder = Files.createDirectories(runs.resolve("guarded"));
    Files.writeString(folder.resolve("run.yaml"), "model: gcn\nepochs: 9\n");
    RunControl control =
        new RunControl() {
          @Override
          public Path folder() {
            return folder;
          }

          @Override
          public void stop() {
            throw new AssertionError("stopped without the secret");
          }
        };
    try (PageServer page = PageServer.start(runs, 0, control)) {
      browser.open(page.address().replaceFirst("\\?secret=.*", ""));
      browser.await(
          "a button to end it",
          () -> browser.all(".bar-of-tools > button").getFirst().isDisplayed());
      browser.all(".bar-of-tools > button").getFirst().click();
      browser.awaitText("needs the secret in the address that the run printed");
    }
  }
}
