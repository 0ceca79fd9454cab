package dev.heddle.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.heddle.graph.Graph;
import dev.heddle.nn.CustomNetwork;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Parameter;
import dev.heddle.nn.Section;
import dev.heddle.train.Training;
import dev.heddle.train.settings.TrainSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever is wrong gets one clear line and exit code 2. */
class BadInputTest {
  @TempDir private static Path folder;

  /** A good graph and a finished run that cases damage copies of. */
  @BeforeAll
  static void prepare() throws IOException {
    RingGraph.write(folder.resolve("rings"), 40);
    RingGraph.write(folder.resolve("larger"), 44);
    RingGraph.write(folder.resolve("wide"), 40, 3);
    String[] train = {"train", "--graph", at("rings"), "--epochs", "2", "--out", at("done")};
    assertThat(Ran.heddle(train).exit()).isZero();
    Files.writeString(folder.resolve("file"), "x");
    Files.createDirectories(folder.resolve("empty"));
  }

  private static String at(String name) {
    return folder.resolve(name).toString();
  }

  private static void assertOneLine(Ran ran, String message) {
    assertThat(ran.err()).contains(message);
    assertThat(ran.err().strip().lines()).as(ran.err()).hasSize(1);
    assertThat(ran.err()).startsWith("heddle: ");
    assertThat(ran.exit()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "--model gcm          | --model: there is no 'gcm'; did you mean 'gcn'?",
        "--model transformer  | there are gcn, sage,",
        "--hidden 0           | hidden must be at least 1, not 0",
        "--hidden -3          | hidden must be at least 1, not -3",
        "--hidden 3000000000  | '3000000000' is not an int",
        "--layers 0           | layers must be at least 1, not 0",
        "--heads 0            | heads must be at least 1, not 0",
        "--dropout 1          | dropout must be in [0, 1), not 1.0",
        "--dropout -0.1       | dropout must be in [0, 1), not -0.1",
        "--dropout NaN        | dropout must be in [0, 1), not NaN",
        "--input-dropout 2    | input dropout must be in [0, 1), not 2.0",
        "--alpha 1            | alpha must be in [0, 1), not 1.0",
        "--norm btach         | --norm: there is no 'btach'; did you mean 'batch'?",
        "--batch 9 --fanout 2000000000,2 | a fan-out is at most 1048576, or -1 for all",
        "--hidden 2147483647  | hidden must be at most 1048576, not 2147483647",
        "--layers 1000000000  | layers must be at most 10000, not 1000000000",
        "--threads 1000000    | threads must be at most 1024, not 1000000",
        "--workers 1000000    | --workers must be at most 1024, not 1000000",
        "--lr NaN             | the learning rate must be positive, not NaN",
        "--lr -1              | the learning rate must be positive, not -1.0",
        "--lr 0               | the learning rate must be positive, not 0.0",
        "--lr Infinity        | the learning rate must be positive, not Infinity",
        "--lr fast            | 'fast' is not a float",
        "--schedule cosin     | --schedule: there is no 'cosin'; did you mean 'cosine'?",
        "--workers 0          | --workers must be at least 1, not 0",
        "--workers 999        | 999 workers are more than the graph's",
        "--codec bits4        | --codec bits4 is for rows between workers, and there is one",
        "--overlap on         | --overlap on is for rows between workers, and there is one",
        "--pre-aggregate on   | --pre-aggregate on is for rows between workers, and there is one",
        "--workers 2 --pre-aggregate on --model gat | gat weighs neighbours one by one",
        "--workers 2 --pre-aggregate on --model sage-pool | sage-pool takes the largest of rows",
        "--workers 2 --codec-delta on | --codec-delta on is for rows that are rounded, and fp32",
        "--workers 2 --codec bits3 | bits3",
        "--workers 2 --batch 9 --codec adaptive | at one width: use --codec bits2, bits4 or bits8",
        "--workers 2 --batch 9 --codec bits4 --codec-delta on | use --codec-delta off",
        "--workers 2 --batch 9 --codec bits4 --pre-aggregate on | use --pre-aggregate off",
        "--workers 2 --batch 9 --overlap on | --overlap on is for rows of the whole graph",
        "--sampler labor      | --sampler is for batches: say how large with --batch",
        "--batch 9 --topology auto | --topology is for several workers, and there is one",
        "--batch 9 --batch-memory 9m | with --batch-memory, say --macrobatch too",
        "--batch 9 --cache-bytes 9m | has all of them in memory",
        "--batch 9 --cache gns | has all of them in memory: leave --cache gns out",
        "--batch 9 --cache hot,gns | both say which rows of features are kept: use either",
        "--batch 9 --cache none,hot | --cache none keeps nothing: leave the others out",
        "--batch 9 --cache aggregate | --cache has no 'aggregate': there are none, hot, gns",
        "--workers 2 --batch 9 --cache hot | is a cache: say how large with --cache-bytes",
        "--workers 2 --batch 9 --cache gns,aggregated | --cache aggregated never samples the input",
        "--workers 2 --batch 9 --cache gns --sampler labor | use --sampler neighbour, and leave",
        "--workers 2 --batch 9 --cache gns --split batch | everyone loads its own vertices",
        "--workers 2 --batch 9 --cache gns --cache-rank presampled | use --cache-rank degree or vip",
        "--workers 2 --batch 9 --sampler ladies | needs all arcs at every worker: use --topology",
        "--workers 2 --batch 9 --sampler fastgcn --split batch | owners draw for theirs",
        "--batch 9 --flat | --flat and --debias are for --sampler ladies or fastgcn",
        "--workers 2 --macrobatch 4 | --macrobatch is for batches: say how large with --batch",
        "--workers 2 --batch 9 --cache-rank vip | --cache-rank is for a cache",
        "--workers 2 --batch 9 --macrobatch 0 | --macrobatch must be at least 1, not 0",
        "--workers 2 --batch 9 --macrobatch 33 | from 1 to 32 batches are loaded at once",
        "--workers 2 --batch 9 --split graph | --split graph trains on the whole graph",
        "--workers 2 --split seeds | --split seeds divides batches",
        "--workers 2 --split batch | --split batch divides batches",
        "--batch 9 --split batch | --split batch is for several workers, and there is one",
        "--workers 2 --batch 9 --presample 2 | --presample and --groups are for workers that compute",
        "--workers 2 --batch 9 --split batch --presample -1 | no fewer than 0 epochs are sampled",
        "--workers 2 --batch 9 --split batch --presample 2 --partition random | leave one out",
        "--batch 9 --kappa 4  | the neighbour sampler draws anew for every batch: --kappa is for",
        "--workers 2 --batch 9 --split batch --depth 2 | of 2 hops, 2 by each worker alone leave",
        "--workers 2 --batch 9 --split batch --half | half width is for features that each worker",
        "--workers 2 --batch 9 --batch-memory x | --batch-memory is a number of bytes like 512m",
        "--workers 2 --codec bits4 --model gat | gat weighs neighbours by rows that bits4 would",
        "--workers 2 --codec bits2 --model sage-pool | sage-pool takes the largest of rows",
        "--workers 2 --codec bits4 --codec-bits 4 | --codec-bits is for --codec adaptive or random, not bits4",
        "--workers 2 --codec random --codec-bits 3 | rows travel at 2, 4 or 8 bits, not 3",
        "--workers 2 --link 1Gbit,0-2=1Mbit | there is no link 0-2 among 2 workers",
        "--workers 2 --processes --link 0-0=1Mbit | there is no link 0-0 among 2 workers",
        "--workers 2 --codec bits4 --codec-group 9 | --codec-group is for --codec adaptive, not bits4",
        "--workers 2 --codec adaptive --codec-lambda 2 | a lambda from 0 to 1, not 50, 100 and 2.0",
        "--workers 2 --link x | 'x' is not a rate like 1Gbit",
        "--partition metis    | --partition: there is no 'metis'",
        "--epochs 0           | epochs must be at least 1, not 0",
        "--epochs ten         | 'ten' is not an int",
        "--epochs 1e3         | '1e3' is not an int",
        "--epoch 10           | unknown option '--epoch'; did you mean '--epochs'?",
        "--optimizer adm      | --optimizer: there is no 'adm'; did you mean 'adam'?",
        "--weight-decay -1    | weight decay must not be negative, but is -1.0",
        "--momentum 1         | momentum must be in [0, 1), not 1.0",
        "--clip-norm -1       | clip norm must not be negative, but is -1.0",
        "--patience -1        | patience must not be negative, but is -1",
        "--evaluate-every -1  | evaluate-every must not be negative, but is -1",
        "--evaluate-every 0 --patience 3 | patience waits for better scores",
        "--metric acuracy     | --metric: there is no 'acuracy'; did you mean 'accuracy'?",
        "--metric rmse        | rmse cannot judge ClassLabels",
        "--threads -1         | threads must be at least 1, not -1",
        "--split-index 7      | split",
        "--split-index -1     | splits are counted from 0, not -1",
        "--order comunity     | --order: there is no 'comunity'; did you mean 'community'?",
        "--checkpoint-every -1| checkpoint-every must not be negative, but is -1",
        "--keep 0             | keep must be at least 1, not 0",
        "--memory lots        | --memory is a number of bytes like 512m or 8g, not 'lots'",
        "--memory 10k         | of memory or more, but may take 0.0 MB",
        "--seed               | --seed",
        "extra                | 'extra' is one argument too many",
        "--graph nowhere      | there is no graph 'nowhere'",
        "--graph wordnt       | did you mean 'wordnet'?",
        "--graph wordnet --directed | --row-normalise are for folders",
        "--resume nowhere     | nowhere: no such folder of a run",
        "--config nowhere.yaml| nowhere.yaml: no such file",
        "--link 1Gbit         | --link is for several workers, and there is one: add --workers",
        "--latency 1ms        | --latency is for several workers",
        "--partition random   | --partition is for several workers",
        "--partition-file x   | --partition-file is for several workers",
        "--processes          | --processes is for several workers",
        "--wait 3             | --wait is for several workers",
        "--tls-cert x         | --tls-cert is for several workers",
        "--workers 2 --tls-key x | --tls-key is for workers that are joined by sockets: add --proc",
        "--workers 2 --no-unix-sockets | --unix-sockets is for workers that are joined by sockets",
        "--workers 2 --silence 9 | --silence is for workers that are joined by sockets",
        "--workers 2 --partition random --partition-file x | --partition makes a partition, and",
        "--workers 2 --split none | --split none is for one worker, and there are 2",
        "--split graph        | --split graph is for several workers, and there is one",
        "--warmup 3           | --warmup is for --schedule cosine, not constant",
        "--step-epochs 3      | --step-epochs is for --schedule step, not constant",
        "--step-factor 0.1 --schedule cosine | --step-factor is for --schedule step, not cosine",
        "--momentum 0.9       | --momentum is for --optimizer sgd, not adam",
        "--heads 8            | --heads is for --model gat or gatv2, not gcn",
        "--output-heads 2     | --output-heads is for --model gat or gatv2, not gcn",
        "--attention-dropout 0.1 | --attention-dropout is for --model gat or gatv2, not gcn",
        "--alpha 0.2          | --alpha is for --model appnp or gcnii, not gcn",
        "--lambda 0.2         | --lambda is for --model gcnii, not gcn",
        "--propagations 2     | --propagations is for --model appnp, not gcn",
        "--epsilon 0.1        | --epsilon is for --model gin, not gcn",
        "--model sgc --norm layer | --norm has no effect with --model sgc",
        "--model sgc --hidden 9 | --hidden has no effect with --model sgc",
        "--model sgc --dropout 0.1 | --dropout has no effect with --model sgc",
        "--model gcnii --norm layer | --norm has no effect with --model gcnii",
        "--features mapped    | --features mapped is for stores, and",
        "--decay-first-layer-only | --decay-first-layer-only is for weight decay",
        "--fanout 2,2         | --fanout is for batches: say how large with --batch",
        "--by-weight          | --by-weight is for batches",
        "--batch 9 --sampler cluster --fanout 2,2 | takes all arcs inside its parts: it has no fan-outs",
        "--ahead              | --ahead is for batches: say how large with --batch",
        "--cache gns          | --cache gns is for batches: say how large with --batch",
        "--debias             | --debias is for batches: say how large with --batch",
        "--cache aggregated   | --cache aggregated is for batches: say how large with --batch",
        "--cache-bytes 9m     | --cache-bytes is for batches: say how large with --batch",
        "--half-sums on       | --half-sums on is for sums between workers, and there is one",
        "--queues 2           | --queues is for batches: say how large with --batch",
        "--sync racom         | --sync racom has some steps under way, and the whole graph is one step",
        "--preset adaqq       | --preset: there is no 'adaqq'; did you mean 'adaqp'?",
        "--preset adaqp --workers 1 | preset adaqp is for several workers, and there is one",
        "--preset adaqp --batch 9 | --split graph trains on the whole graph: leave --batch out",
        "--preset batchgnn --batch 0 | --split seeds divides batches: say how large they are",
        "--warmup 300 --schedule cosine | warm-up takes from 0 to fewer than all 200 epochs",
        "--model gat --hidden 7 | hidden must be a multiple of heads",
      })
  void flags(String flags, String message) {
    String[] given = flags.strip().split(" ", -1);
    String[] graph =
        flags.contains("--graph") ? new String[0] : new String[] {"--graph", at("rings")};
    String[] out = {"train", "--out", at("never")};
    assertOneLine(Ran.heddle(join(out, graph, given)), message.strip());
    assertThat(folder.resolve("never/model.safetensors")).doesNotExist();
    assertThat(folder.resolve("never/run.yaml")).doesNotExist();
  }

  private static String[] join(String[]... parts) {
    return Arrays.stream(parts).flatMap(Arrays::stream).toArray(String[]::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "epoch: 3              | unknown key 'epoch'; did you mean 'epochs'?",
        "json: true            | unknown key 'json'",
        "model: gcm            | model: there is no 'gcm'; did you mean 'gcn'?",
        "epochs: ten           | 'ten' is not an int",
        "epochs: [1, 2]        | epochs must be a single value",
        "hidden: {a: 1}        | hidden must be a single value",
        "- epochs              | holds no 'key: value' lines",
        "'epochs: 3\\nepochs: 4'| holds no 'key: value' lines",
        "epochs: 'x            | is not valid YAML",
        "directed: perhaps     | 'perhaps' is not a boolean",
        "lr: .nan              | the learning rate must be positive, not NaN",
      })
  void runFiles(String text, String message) throws IOException {
    Path file = folder.resolve("bad.yaml");
    Files.writeString(file, text.strip() + "\n");
    String[] args = {"train", "--graph", at("rings"), "--out", at("never"), "--config", "" + file};
    assertOneLine(Ran.heddle(args), message.strip());
  }

  @Test
  void whatRunFilesDoNotHave() throws IOException {
    Path file = folder.resolve("yaml.yaml");
    for (String[] each :
        new String[][] {
          {"seed: 3\nhidden: &n 8\nepochs: *n\n", "line 2, column 9: an anchor (&name)"},
          {"seed: 3\nepochs: *n\n", "line 2"},
          {"seed: 3\nout: ~\n", "line 2, column 6: a ~"},
          {"seed: !!int 3\n", "line 1, column 7: a tag"},
        }) {
      Files.writeString(file, each[0]);
      assertOneLine(Ran.heddle("train", "--config", file.toString()), each[1]);
    }
  }

  @Test
  void aKeyGivenTwice() throws IOException {
    Path file = folder.resolve("twice.yaml");
    Files.writeString(file, "epochs: 3\nepochs: 4\n");
    assertOneLine(Ran.heddle("train", "--config", file.toString()), "is not valid YAML");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "train --config @empty                      | is a folder, not a file",
        "train --graph @file                        | is a file; a graph is a folder",
        "train --graph @empty --out @never          | edges.csv",
        "train --graph @rings --out @done           | holds a run already",
        "train --graph @rings --out @file           | there is a file of that name",
        "train --graph @rings --out /proc/run        | cannot be written",
        "train --resume @empty                      | is not the folder of a run",
        "train --resume @done --config x.yaml       | --config cannot be given too",
        "train --resume @done --hidden 5            | is of a run with hidden 64, not 5",
        "train --resume @done --seed 5              | is of a run with seed 0, not 5",
        "train --resume @done --graph @larger       | is of another graph",
        "evaluate @nowhere                          | no such folder of a run",
        "evaluate @empty                            | has no model.safetensors",
        "evaluate                                   | <run>",
        "evaluate @done --graph nowhere             | there is no graph 'nowhere'",
        "evaluate @done --threads -1                | threads must not be negative",
        "evaluate @done --graph @wide               | wants features of width 2, but wide has 3",
        "predict @done                              | --out",
        "predict @done --out @x.txt                 | --out must end in .csv, .csv.gz",
        "predict @done --out @x.npy --no-probabilities | --no-probabilities is for tables",
        "predict @done --out @x.txt --format xls    | there is no 'xls'",
        "predict @done --out @x.csv --scratch @nowhere | is no folder",
        "embed @done --out @x.csv --layer 9         | there is no layer 9",
        "predict @done --out @nowhere/x.csv         | its folder does not exist",
        "init @file                                 | is there already and stays as it is",
        "init @nowhere/run.yaml                     | cannot be written",
        "trian                                      | there is no command 'trian'; did you mean"
            + " 'train'?",
        "dance                                      | there is no command 'dance'; there are"
            + " train,",
      })
  void files(String line, String message) {
    String[] args = line.strip().replace("@", folder + "/").split(" +", -1);
    assertOneLine(Ran.heddle(args), message.strip());
  }

  /** A copy of the finished run with one file changed. */
  private static Path damaged(String name, String file, byte[] bytes) throws IOException {
    Path copy = Files.createDirectories(folder.resolve(name));
    for (String each : new String[] {"run.yaml", "model.safetensors"}) {
      Files.copy(
          folder.resolve("done").resolve(each),
          copy.resolve(each),
          StandardCopyOption.REPLACE_EXISTING);
    }
    Path checkpoints = Files.createDirectories(copy.resolve("checkpoints"));
    Files.copy(
        folder.resolve("done/checkpoints/epoch-000002.safetensors"),
        checkpoints.resolve("epoch-000002.safetensors"),
        StandardCopyOption.REPLACE_EXISTING);
    Files.write(copy.resolve(file), bytes);
    return copy;
  }

  @Test
  void aDamagedModel() throws IOException {
    byte[] bytes = Files.readAllBytes(folder.resolve("done/model.safetensors"));
    bytes[bytes.length - 1] ^= 1;
    Path run = damaged("damaged-model", "model.safetensors", bytes);
    assertOneLine(Ran.heddle("evaluate", run.toString()), "is damaged: its checksum is wrong");
  }

  @Test
  void aTruncatedModel() throws IOException {
    Path run = damaged("cut-model", "model.safetensors", new byte[5]);
    assertOneLine(Ran.heddle("evaluate", run.toString()), "too few for a safetensors file");
  }

  @Test
  void aModelThatIsNone() throws IOException {
    Path run =
        damaged("no-model", "model.safetensors", "some text".getBytes(StandardCharsets.UTF_8));
    assertOneLine(Ran.heddle("evaluate", run.toString()), "no safetensors file");
  }

  @Test
  void aModelWhoseNetworkIsNotBuiltIn() throws IOException {
    Path own = folder.resolve("own.safetensors");
    CustomNetwork network =
        CustomNetwork.of(
            "straight",
            0,
            (parameters, shape) -> {
              Parameter weight = parameters.weight("weight", shape.features(), shape.outputs());
              return List.of(Section.of((r, x) -> r.linear(x, weight)));
            });
    try (Graph graph = Graph.open(folder.resolve("rings"));
        Training training =
            Training.of(graph, ModelSpec.of(network), TrainSettings.builder().threads(1).build())) {
      training.save(own);
    }
    Path run = damaged("own-model", "model.safetensors", Files.readAllBytes(own));
    assertOneLine(
        Ran.heddle("predict", run.toString(), "--out", at("own.csv")),
        "holds weights of the network 'straight', which is written in Java");
  }

  @Test
  void aDamagedRunFile() throws IOException {
    Path run =
        damaged("damaged-run", "run.yaml", "grahp: rings\n".getBytes(StandardCharsets.UTF_8));
    assertOneLine(
        Ran.heddle("evaluate", run.toString()), "unknown key 'grahp'; did you mean 'graph'?");
  }

  @Test
  void onlyDamagedCheckpoints() throws IOException {
    Path run = damaged("damaged-end", "checkpoints/epoch-000002.safetensors", new byte[50]);
    Ran ran = Ran.heddle("train", "--resume", run.toString());
    assertThat(ran.err()).contains("has no checkpoint that is whole");
    assertThat(ran.exit()).isEqualTo(2);
  }

  @Test
  void foldersAndFilesWithoutPermission() throws IOException {
    Path locked = Files.createDirectories(folder.resolve("locked"));
    Path secret = Files.writeString(folder.resolve("secret.yaml"), "epochs: 3\n");
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-x------"));
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("---------"));
    assumeTrue(!Files.isReadable(secret), "skipped: this user may do everything");
    String[] train = {"train", "--graph", at("rings"), "--out", at("locked/run")};
    assertOneLine(Ran.heddle(train), "cannot be written (permission denied)");
    assertOneLine(Ran.heddle("train", "--config", secret.toString()), "cannot be read");
    String[] predict = {"predict", at("done"), "--out", at("locked/p.csv")};
    assertOneLine(Ran.heddle(predict), "permission denied");
  }

  @Test
  void aRunThatIsBeingWritten() {
    try (RunFolder _ = RunFolder.open(folder.resolve("done"))) {
      assertOneLine(Ran.heddle("train", "--resume", at("done")), "is in use by another process");
    }
  }

  @Test
  void aStackTraceOnlyForDebugging() {
    assertThat(Ran.heddle("train", "--graph", "nowhere", "--debug").err()).contains("\tat ");
  }
}
