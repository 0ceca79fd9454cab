package dev.heddle.train.loop;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.StepRing;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.OptimizerState;
import dev.heddle.nn.Parameter;
import dev.heddle.train.pipeline.Lane;
import dev.heddle.train.pipeline.Stage;
import dev.heddle.train.settings.Sync;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * RaCoM-S, ready-to-update asynchronous consistent model (MQ-GNN, arXiv 2601.04707, in a form that
 * keeps bits): gradients go to all others as soon as they are found, and this worker goes on. An
 * updater of its own makes a step's update when the gradients of all P workers are in, summed in
 * the order of ranks, and makes updates in the order of steps. Models of workers are thus equal
 * functions of how many updates they have made, and differ in nothing but that number.
 *
 * <p>With t steps computed and u updates made, step t waits until t − u &lt; Q: it lacks at most Q
 * − 1 updates, and Q = 1 is synchronous. Others may be as many as 2Q − 1 steps further than this
 * worker's updates, as u_j ≤ t_i ≤ u_i + Q and they send up to step u_j + Q − 1: so many slots
 * there are. The model reads whole versions only, see {@link Replica}.
 */
final class Racom implements GradientSync {
  private final Worker worker;
  private final Sync.Racom knob;
  private final long seed;
  private final Lane lane;
  private final Lane updaterLane;
  private final ThreadTeam updaterTeam = ThreadTeam.of(1);
  private final Group group;
  private final Replica replica;
  private final StepRing ring;
  private final List<List<List<MemorySegment>>> parts = new ArrayList<>();
  private final GradientParcel out;
  private final GradientParcel in;
  private final StepCount steps;
  private final long[] staleness;
  private final int[] epochs;
  private final int[] numbers;
  private @Nullable Update update;
  private @Nullable ReplicaCheck check;
  private @Nullable Thread updater;

  /** Workers that all have all parameters; they make theirs at the same point. */
  Racom(ParameterPlacement placement, Sync.Racom knob, Worker worker, long seed) {
    this.worker = worker;
    this.knob = knob;
    this.seed = seed;
    lane = worker.lane();
    updaterLane = worker.timeline().lane("update");
    group = worker.group().subgroup(IntStream.range(0, worker.group().size()).toArray());
    List<Parameter> model = placement.here();
    replica = new Replica(model, worker.memory());
    out = new GradientParcel(model, knob.codec(), worker.memory());
    in = new GradientParcel(replica.moved(), knob.codec(), worker.memory());
    int slots = slots(knob);
    ring = StepRing.of(group, Kind.GRADIENT, out.bytes(), slots);
    for (int slot = 0; slot < slots; slot++) {
      int step = slot;
      parts.add(
          IntStream.range(0, group.size())
              .mapToObj(rank -> out.parts(ring.of(step, rank)))
              .toList());
    }
    epochs = new int[slots];
    numbers = new int[slots];
    staleness = new long[knob.staleness()];
    steps = new StepCount(knob.staleness(), group.rank());
  }

  /** Slots of the ring: of so many steps gradients can be here. */
  private static int slots(Sync.Racom knob) {
    return 2 * knob.staleness();
  }

  /**
   * Bytes of memory that all this takes at a worker: of the replica and the slots.
   *
   * @param workers among whom gradients go
   */
  static long memoryBytes(List<Parameter> model, Sync.Racom knob, int workers) {
    long message = GradientParcel.bytes(model, knob.codec());
    return Replica.bytes(model) + StepRing.memoryBytes(workers, message, slots(knob));
  }

  @Override
  public List<Parameter> updated() {
    return replica.moved();
  }

  /** What the optimizer moves. */
  Replica replica() {
    return replica;
  }

  @Override
  public void updates(Update made, OptimizerState state) {
    update = made;
    if (knob.consistency().on()) {
      check = new ReplicaCheck(worker, replica, state, knob);
    }
  }

  @Override
  public void begin(int count) {
    // Parameters may have been replaced, by those of a checkpoint.
    replica.load();
    steps.begin(count);
    long first = steps.applied();
    for (long step = first; step < Math.min(first + ring.slots(), steps.last()); step++) {
      ring.expect(step);
    }
    if (check != null) {
      check.begin(count);
    }
    if (updater == null) {
      updater = Thread.ofPlatform().daemon().name("heddle-update").start(this::makeUpdates);
    }
  }

  @Override
  public void awaitParameters() {
    lane.begin(Stage.SHARE);
    lane.beginWait();
    steps.awaitRoom();
    lane.end();
    // Updates are made known under this lock: none between the reading and the counting.
    synchronized (replica) {
      replica.read();
      staleness[(int) steps.lag()]++;
    }
    lane.end();
  }

  @Override
  public void share(int epoch, int number) {
    long step = steps.computed();
    int slot = (int) (step % ring.slots());
    lane.begin(Stage.SHARE, epoch, number);
    long key = Draws.key(Draws.Domain.GRADIENTS, seed, epoch, number, worker.rank());
    out.write(worker.team(), parts.get(slot).get(worker.rank()), key);
    epochs[slot] = epoch;
    numbers[slot] = number;
    ring.send(step);
    steps.compute();
    lane.end();
    if (check != null && check.isDue(step + 1)) {
      lane.begin(Stage.SHARE, epoch, number);
      check.measure(steps.lag());
      drain();
      check.compare();
      lane.end();
    }
  }

  private void drain() {
    lane.beginWait();
    steps.awaitAll();
    lane.end();
    synchronized (replica) {
      replica.read();
    }
  }

  @Override
  public void end() {
    lane.begin(Stage.SHARE);
    drain();
    lane.beginWait();
    long last = steps.applied();
    for (long step = Math.max(0, last - ring.slots()); step < last; step++) {
      ring.awaitSent(step);
    }
    lane.end();
    lane.end();
  }

  /** The updater's thread. */
  private void makeUpdates() {
    updaterLane.begin(Stage.QUEUE, 0, 0);
    try {
      for (long step = 0; steps.awaitOwn(step, updaterLane); step++) {
        int slot = (int) (step % ring.slots());
        int epoch = epochs[slot];
        int number = numbers[slot];
        updaterLane.begin(Stage.SHARE, epoch, number);
        updaterLane.beginWait();
        if (step >= knob.staleness()) {
          // Else this worker's next step but Q might overwrite what has not left.
          ring.awaitSent(step - knob.staleness());
        }
        ring.awaitReceived(step);
        updaterLane.end();
        for (int rank = 0; rank < group.size(); rank++) {
          in.read(updaterTeam, parts.get(slot).get(rank), rank > 0);
        }
        updaterLane.end();
        if (update != null) {
          update.run(updaterTeam, updaterLane, epoch, number);
        }
        if (step + ring.slots() < steps.last()) {
          ring.expect(step + ring.slots());
        }
        synchronized (replica) {
          replica.publish();
          steps.apply();
        }
      }
    } catch (Throwable e) {
      steps.fail(e);
    } finally {
      updaterLane.end();
    }
  }

  @Override
  public SyncReport report() {
    long[] all = staleness.clone();
    worker.group().sum(all);
    return new SyncReport(all, check == null ? ConsistencyReport.NONE : check.report());
  }

  /**
   * Ends the updater after the steps that this worker has shared: others have, or will, share
   * theirs of the same steps, which need nothing of later ones.
   */
  @Override
  public void close() {
    steps.close();
    boolean interrupted = false;
    while (updater != null && updater.isAlive()) {
      try {
        updater.join();
      } catch (InterruptedException _) {
        interrupted = true;
        updater.interrupt();
      }
    }
    updaterTeam.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
