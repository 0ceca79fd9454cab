package dev.heddle.cli;

import static dev.heddle.cli.Words.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the command says that training will need, and that training then needs just that. */
class DryRunTest {
  private static final int EPOCHS = 6;

  @TempDir private Path folder;

  private Path run = Path.of("");
  private String[] train = {};

  @BeforeEach
  void writeGraph() throws IOException {
    run = folder.resolve("run");
    String graph = RingGraph.write(folder.resolve("rings"), 200).toString();
    train =
        new String[] {
          "train", "--graph", graph, "--epochs", "" + EPOCHS, "--out", run.toString(), "--json"
        };
  }

  private static JsonNode json(Ran ran) {
    assertThat(ran.exit()).as(ran.err()).isZero();
    return new JsonMapper().readTree(ran.lastLine());
  }

  @Test
  void oneWorkerTakesWhatWasSaid() {
    JsonNode plan = json(Ran.heddle(with(train, "--dry-run"))).get("plan");
    assertThat(run).doesNotExist();
    assertThat(plan.get("split").asString()).isEqualTo("none");
    assertThat(plan.get("fits").asBoolean()).isTrue();
    assertThat(plan.get("epoch").get("bytes").asLong()).isZero();
    long planned = plan.get("workers").get(0).get("memory").get("bytes").asLong();
    assertThat(planned).isPositive();
    Ran ran = Ran.heddle(train);
    assertThat(ran.err()).contains("training needs ").contains(" of it for values and gradients");
    assertThat(Files.exists(run)).isTrue();
    assertThat(json(ran).get("sent").get("bytes").asLong()).isZero();
  }

  @Test
  void workersSendWhatWasSaid() {
    String[] several =
        with(train, "--workers", "3", "--partition", "random", "--evaluate-every", "2");
    JsonNode plan = json(Ran.heddle(with(several, "--dry-run"))).get("plan");
    assertThat(plan.get("split").asString()).isEqualTo("graph");
    assertThat(plan.get("workers").size()).isEqualTo(3);
    Ran ran = Ran.heddle(several);
    assertThat(ran.err()).contains("workers send ").contains(" for each evaluation");
    JsonNode sent = json(ran).get("sent").get("byKind");
    for (String kind : new String[] {"halo", "gradient", "evaluation"}) {
      long planned =
          bytes(plan, "once", kind)
              + EPOCHS * bytes(plan, "epoch", kind)
              + EPOCHS / 2 * bytes(plan, "evaluation", kind);
      assertThat(sent.get(kind).get("bytes").asLong()).as(kind).isPositive().isEqualTo(planned);
    }
  }

  private static long bytes(JsonNode plan, String when, String kind) {
    return plan.get(when).get("byKind").get(kind).get("bytes").asLong();
  }

  @Test
  void batchesSendAboutWhatWasSaid() {
    String[] batches =
        with(
            with(train, "--workers", "2", "--partition", "random", "--evaluate-every", "0"),
            "--batch",
            "20",
            "--fanout",
            "3,2");
    JsonNode plan = json(Ran.heddle(with(batches, "--dry-run"))).get("plan");
    assertThat(plan.get("split").asString()).isEqualTo("seeds");
    assertThat(plan.get("assumptions").size()).isEqualTo(1);
    JsonNode sent = json(Ran.heddle(batches)).get("sent").get("byKind");
    // Where the run begins, batches are loaded besides those that are trained on.
    long features = EPOCHS * bytes(plan, "epoch", "feature");
    assertThat(features).isPositive();
    assertThat(sent.get("feature").get("bytes").asDouble())
        .isBetween(0.9 * features, 2.0 * features);
    assertThat(sent.get("gradient").get("bytes").asLong())
        .isEqualTo(EPOCHS * bytes(plan, "epoch", "gradient"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"layers", "hybrid --stages 2"})
  void stagesSendWhatWasSaid(String split) {
    String[] stages =
        with(
            with(train, "--workers", "4", "--layers", "5", "--chunks", "3", "--split"),
            with(split.split(" ", -1), "--evaluate-every", "2"));
    JsonNode plan = json(Ran.heddle(with(stages, "--dry-run"))).get("plan");
    assertThat(plan.get("workers").size()).isEqualTo(4);
    JsonNode sent = json(Ran.heddle(stages)).get("sent").get("byKind");
    for (String kind : new String[] {"boundary", "halo", "gradient", "evaluation"}) {
      long planned =
          bytes(plan, "once", kind)
              + EPOCHS * bytes(plan, "epoch", kind)
              + EPOCHS / 2 * bytes(plan, "evaluation", kind);
      assertThat(sent.get(kind).get("bytes").asLong()).as(kind).isEqualTo(planned);
    }
    assertThat(bytes(plan, "epoch", "boundary")).isPositive();
  }

  @Test
  void tableSaysWhetherItFits() {
    String[] plain = Arrays.copyOf(train, train.length - 1);
    Ran fits = Ran.heddle(with(plain, "--dry-run", "--workers", "2", "--partition", "random"));
    assertThat(fits.out())
        .contains("memory for training")
        .contains("largest worker")
        .contains("sent by all workers")
        .contains("halo")
        .contains("fits into the ");
    String[] wide = with(plain, "--hidden", "4096", "--memory", "8m");
    Ran refused = Ran.heddle(with(wide, "--dry-run"));
    assertThat(refused.exit()).as(refused.err()).isZero();
    assertThat(refused.out())
        .contains("of memory or more, but may take")
        .contains("try fewer --hidden or --layers");
    Ran trained = Ran.heddle(wide);
    assertThat(trained.exit()).isEqualTo(Errors.USAGE);
    assertThat(trained.err()).contains("of memory or more, but may take");
  }
}
