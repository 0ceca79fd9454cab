package dev.heddle.train.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.comm.Group;
import dev.heddle.comm.GroupSettings;
import dev.heddle.comm.LocalWorkers;
import dev.heddle.graph.CommunityGraph;
import dev.heddle.graph.Graph;
import dev.heddle.graph.partition.Partition;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Model;
import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.Optimizer;
import dev.heddle.nn.Parameter;
import dev.heddle.train.TestSeed;
import dev.heddle.train.settings.Consistency;
import dev.heddle.train.settings.GradientCodec;
import dev.heddle.train.settings.Knobs;
import dev.heddle.train.settings.OptimizerKind;
import dev.heddle.train.settings.Split;
import dev.heddle.train.settings.Sync;
import dev.heddle.train.settings.TrainSettings;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Gradients that the test makes up, shared while workers go on: MQ-GNN's T-M4 to T-M7. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RacomTest {
  private static final ModelSpec SPEC =
      ModelSpec.of(ModelKind.SAGE).layers(2).hidden(32).dropout(0).build();

  /** One worker with gradients to share. */
  private static final class Sharing {
    private final Racom racom;
    private final Model model;
    private final Optimizer optimizer;
    private final Group group;
    private final List<double[]> updates = new ArrayList<>();

    Sharing(Racom racom, Model model, Optimizer optimizer, Group group) {
      this.racom = racom;
      this.model = model;
      this.optimizer = optimizer;
      this.group = group;
    }

    int rank() {
      return group.rank();
    }

    /** A step whose gradient is all zeros but for one number. */
    void step(int number, int place, float value) {
      racom.awaitParameters();
      model.parameters().all().forEach(Parameter::zeroGrad);
      at(model.parameters().all().stream().map(Parameter::grad).toList(), place, value);
      racom.share(1, number);
    }

    private static void at(List<Matrix> matrices, int place, float value) {
      int left = place;
      for (Matrix matrix : matrices) {
        int here = matrix.rows() * matrix.cols();
        if (left < here) {
          matrix.set(left / matrix.cols(), left % matrix.cols(), value);
          return;
        }
        left -= here;
      }
      throw new IllegalArgumentException("there is no place " + place);
    }

    String digest() {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (Parameter parameter : model.parameters().all()) {
          add(digest, parameter.value());
        }
        optimizer.state().matrices().values().forEach(matrix -> add(digest, matrix));
        return HexFormat.of().formatHex(digest.digest());
      } catch (NoSuchAlgorithmException e) {
        throw new AssertionError(e);
      }
    }

    private static void add(MessageDigest digest, Matrix matrix) {
      for (float[] row : matrix.toArray()) {
        for (float value : row) {
          int bits = Float.floatToRawIntBits(value);
          for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            digest.update((byte) (bits >> shift));
          }
        }
      }
    }
  }

  private interface Body {
    void run(Sharing sharing) throws Exception;
  }

  /** What happens in updates, after which the optimizer moves. */
  private interface OnUpdate {
    void run(Sharing sharing, int step);
  }

  private static void run(
      int workers, Sync.Racom knob, OptimizerKind kind, OnUpdate onUpdate, Body body) {
    try (ThreadTeam generating = ThreadTeam.of(1);
        Graph graph =
            CommunityGraph.of(40)
                .averageDegree(3)
                .classes(3)
                .width(6)
                .seed(1)
                .generate(generating)) {
      int[] owners = IntStream.range(0, graph.vertices()).map(v -> v % workers).toArray();
      LocalWorkers.run(
          workers,
          GroupSettings.DEFAULT,
          group -> {
            try (Memory memory = new Memory();
                ThreadTeam team = ThreadTeam.of(1)) {
              Worker worker = new Worker(group, Partition.of(workers, owners), team, memory);
              Knobs knobs = Knobs.DEFAULT.withSplit(workers == 1 ? Split.NONE : Split.SEEDS);
              try (LocalGraph local = LocalGraph.of(graph, worker, knobs)) {
                Model model = Model.create(SPEC, local.shape(), memory, 1);
                var placement = ParameterPlacement.replicated(model, group);
                try (Racom racom = new Racom(placement, knob, worker, 1)) {
                  TrainSettings settings = TrainSettings.builder().momentum(0).build();
                  Optimizer optimizer = kind.create(memory, racom.updated(), settings);
                  Sharing sharing = new Sharing(racom, model, optimizer, group);
                  racom.updates(
                      (threads, _, _, step) -> {
                        onUpdate.run(sharing, step);
                        optimizer.step(threads, 1);
                      },
                      optimizer.state());
                  body.run(sharing);
                }
              }
            }
          });
    }
  }

  private static Sync.Racom racom(int staleness) {
    return Sync.Racom.DEFAULT.withStaleness(staleness);
  }

  private static double[] numbers(List<Matrix> matrices) {
    return matrices.stream()
        .flatMap(matrix -> Arrays.stream(matrix.toArray()))
        .flatMapToDouble(row -> IntStream.range(0, row.length).mapToDouble(i -> row[i]))
        .toArray();
  }

  /** T-M5: whatever delays there are, and also where an epoch ends. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1, 3", "2, 2", "3, 1", "3, 4", "4, 3"})
  void everyUpdateHasEachWorkersGradientOfItsStepOnce(int workers, int staleness) {
    long seed = TestSeed.random(this).nextLong();
    int epochs = 3;
    int perEpoch = 12;
    run(
        workers,
        racom(staleness),
        OptimizerKind.SGD,
        (sharing, _) ->
            sharing.updates.add(
                numbers(sharing.racom.updated().stream().map(Parameter::grad).toList())),
        sharing -> {
          SplittableRandom random = new SplittableRandom(seed + sharing.rank());
          double[] before = values(sharing);
          for (int epoch = 0; epoch < epochs; epoch++) {
            sharing.racom.begin(perEpoch);
            for (int step = 0; step < perEpoch; step++) {
              Thread.sleep(random.nextInt(3));
              int number = epoch * perEpoch + step;
              sharing.step(step, number * workers + sharing.rank(), 1);
            }
            sharing.racom.end();
            assertThat(sharing.updates).hasSize((epoch + 1) * perEpoch);
          }
          for (int update = 0; update < sharing.updates.size(); update++) {
            double[] gradient = sharing.updates.get(update);
            for (int place = 0; place < gradient.length; place++) {
              assertThat(gradient[place]).isEqualTo(place / workers == update ? 1 : 0);
            }
          }
          double[] after = values(sharing);
          int moved = epochs * perEpoch * workers;
          for (int place = 0; place < after.length; place++) {
            float should = (float) before[place] - (place < moved ? 1 : 0);
            assertThat(after[place]).isEqualTo(should);
          }
          long[] staleSteps =
              sharing.racom.report().staleness().stream().mapToLong(Long::longValue).toArray();
          assertThat(staleSteps).hasSize(staleness);
          assertThat(Arrays.stream(staleSteps).sum()).isEqualTo((long) epochs * perEpoch * workers);
        });
  }

  private static double[] values(Sharing sharing) {
    return numbers(sharing.model.parameters().all().stream().map(Parameter::value).toList());
  }

  /** T-M4 and T-M7: who is not late goes on, for as many steps as may be under way and no more. */
  @ParameterizedTest
  @CsvSource({"2, 2", "3, 4"})
  void nobodyWaitsForALateWorkerBeforeItMust(int workers, int staleness) throws Exception {
    int late = 3;
    int count = 20;
    CountDownLatch others = new CountDownLatch(workers - 1);
    AtomicInteger furthest = new AtomicInteger();
    Map<Integer, List<Long>> staleness0 = new ConcurrentSkipListMap<>();
    run(
        workers,
        racom(staleness),
        OptimizerKind.SGD,
        (_, _) -> {},
        sharing -> {
          sharing.racom.begin(count);
          for (int step = 0; step < count; step++) {
            boolean slow = sharing.rank() == workers - 1 && step == late;
            if (slow) {
              // Comes only when all others have shared what they can without this worker.
              assertThat(others.await(20, TimeUnit.SECONDS)).isTrue();
              assertThat(furthest.get()).isEqualTo(late + staleness - 1);
            }
            sharing.step(step, step, 1);
            if (sharing.rank() < workers - 1) {
              if (step < late + staleness) {
                furthest.accumulateAndGet(step, Math::max);
              }
              if (step == late + staleness - 1) {
                others.countDown();
              }
            }
          }
          sharing.racom.end();
          staleness0.put(sharing.rank(), sharing.racom.report().staleness());
        });
    assertThat(staleness0).hasSize(workers);
    for (List<Long> steps : staleness0.values()) {
      assertThat(steps).hasSize(staleness);
      assertThat(steps.getLast()).isGreaterThanOrEqualTo(workers - 1);
      assertThat(steps.stream().mapToLong(Long::longValue).sum()).isEqualTo((long) count * workers);
    }
  }

  /** T-M6: equal replicas are left alone; one that was disturbed is like the others afterwards. */
  @ParameterizedTest
  @CsvSource({"3, 1, false", "3, 3, false", "3, 1, true", "2, 3, true"})
  void aDisturbedReplicaIsRepaired(int workers, int staleness, boolean disturbed) {
    int count = 16;
    int period = 4;
    Map<Integer, String> digests = new ConcurrentSkipListMap<>();
    Map<Integer, String> undisturbed = new ConcurrentSkipListMap<>();
    Map<Integer, ConsistencyReport> reports = new ConcurrentSkipListMap<>();
    for (Consistency consistency : List.of(Consistency.OFF, Consistency.every(period))) {
      run(
          workers,
          racom(staleness).withConsistency(consistency),
          OptimizerKind.ADAM,
          (sharing, step) -> {
            // Made when the second comparison measures, and not before the first, at any staleness.
            if (disturbed && consistency.on() && sharing.rank() == 1 && step == period) {
              Sharing.at(sharing.racom.updated().stream().map(Parameter::value).toList(), 7, 5);
              Sharing.at(List.copyOf(sharing.optimizer.state().matrices().values()), 3, 2);
            }
          },
          sharing -> {
            sharing.racom.begin(count);
            for (int step = 0; step < count; step++) {
              sharing.step(step, step, sharing.rank() + 1f);
            }
            sharing.racom.end();
            SyncReport report = sharing.racom.report();
            (consistency.on() ? digests : undisturbed).put(sharing.rank(), sharing.digest());
            if (consistency.on()) {
              reports.put(sharing.rank(), report.consistency());
            }
          });
    }
    assertThat(digests.values()).hasSize(workers).containsOnly(digests.get(0));
    assertThat(undisturbed.values()).hasSize(workers).containsOnly(undisturbed.get(0));
    for (ConsistencyReport report : reports.values()) {
      assertThat(report.checks()).isEqualTo(count / period);
      assertThat(report.repairs()).isEqualTo(disturbed ? 1 : 0);
      assertThat(report.period()).isEqualTo(period);
      if (disturbed) {
        assertThat(report.divergence()).isPositive();
      }
    }
    if (disturbed) {
      assertThat(digests.get(0)).isNotEqualTo(undisturbed.get(0));
    } else {
      assertThat(digests.get(0)).isEqualTo(undisturbed.get(0));
    }
  }

  /** Everyone rounds its own like the others do, so that models stay equal. */
  @Test
  void roundedGradientsAreTheSameEverywhere() {
    Map<Integer, String> digests = new ConcurrentSkipListMap<>();
    run(
        3,
        racom(3).withCodec(GradientCodec.BITS8),
        OptimizerKind.ADAM,
        (_, _) -> {},
        sharing -> {
          sharing.racom.begin(10);
          for (int step = 0; step < 10; step++) {
            sharing.step(step, step, 0.3f * (sharing.rank() + 1));
          }
          sharing.racom.end();
          digests.put(sharing.rank(), sharing.digest());
        });
    assertThat(digests.values()).hasSize(3).containsOnly(digests.get(0));
  }

  /** An update that fails is told to the thread that trains, and to all others. */
  @ParameterizedTest
  @CsvSource({"1", "3"})
  void anUpdateThatFailsEndsTheRun(int workers) {
    assertThatThrownBy(() ->
            run(
                workers,
                racom(2),
                OptimizerKind.SGD,
                (sharing, step) -> {
                  if (sharing.rank() == workers - 1 && step == 3) {
                    throw new IllegalStateException("no such update");
                  }
                },
                sharing -> {
                  sharing.racom.begin(50);
                  for (int step = 0; step < 50; step++) {
                    sharing.step(step, step, 1);
                  }
                  sharing.racom.end();
                }))
        .hasMessageContaining("no such update");
  }
}
