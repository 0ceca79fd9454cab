package dev.heddle.cli.ui;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** Chromium without a window, of Debian's packages {@code chromium} and {@code chromium-driver}. */
final class Browser implements AutoCloseable {
  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final long DEADLINE_NANOS = Duration.ofSeconds(30).toNanos();

  private final ChromeDriver driver;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
  }

  /** A browser; where there is none the test is skipped, but fails on the machine of CI. */
  static Browser start() {
    if (!Files.isExecutable(CHROMIUM) || !Files.isExecutable(DRIVER)) {
      String none = "needs Debian's packages chromium and chromium-driver";
      if ("true".equals(System.getenv("CI"))) {
        return fail(none);
      }
      return abort(none);
    }
    Logger.getLogger("org.openqa.selenium").setLevel(Level.SEVERE);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toFile());
    options.addArguments(
        "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000");
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(new File(DRIVER.toString()))
            .usingAnyFreePort()
            .build();
    ChromeDriver driver = new ChromeDriver(service, options);
    driver.manage().timeouts().pageLoadTimeout(Duration.ofSeconds(60));
    return new Browser(driver);
  }

  void open(String address) {
    driver.get("about:blank");
    driver.get(address);
  }

  List<WebElement> all(String selector) {
    return driver.findElements(By.cssSelector(selector));
  }

  /** The first that a selector finds, once there is one. */
  WebElement one(String selector) {
    await(selector, () -> !all(selector).isEmpty());
    return all(selector).getFirst();
  }

  String text() {
    return driver.findElement(By.tagName("body")).getText();
  }

  /** Waits until the page shows a text. */
  void awaitText(String text) {
    await("'" + text + "'", () -> text().contains(text));
  }

  /** Waits for something to become true; what throws because the page changes is asked again. */
  void await(String what, BooleanSupplier true_) {
    long end = System.nanoTime() + DEADLINE_NANOS;
    while (!holds(true_)) {
      if (System.nanoTime() > end) {
        fail("the page never had " + what + ", but:\n" + text());
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        fail("interrupted");
      }
    }
  }

  private static boolean holds(BooleanSupplier true_) {
    try {
      return true_.getAsBoolean();
    } catch (StaleElementReferenceException | NoSuchElementException _) {
      // The page is being drawn anew, or not drawn yet.
      return false;
    }
  }

  /** Presses keys at whatever has the focus. */
  void press(CharSequence... keys) {
    driver.switchTo().activeElement().sendKeys(keys);
  }

  /** Goes on with the tabulator until an element that fits has the focus. */
  WebElement tabTo(String selector) {
    for (int i = 0; i < 200; i++) {
      press(Keys.TAB);
      WebElement active = driver.switchTo().activeElement();
      Object fits =
          driver.executeScript("return arguments[0].matches(arguments[1])", active, selector);
      if (Boolean.TRUE.equals(fits)) {
        return active;
      }
    }
    return fail("the tabulator does not come to " + selector);
  }

  @Nullable Object script(String source) {
    return driver.executeScript(source);
  }

  String address() {
    return String.valueOf(driver.getCurrentUrl());
  }

  @Override
  public void close() {
    driver.quit();
  }
}
