package dev.heddle.comm;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.ThreadTeam;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One worker is a group of one: nothing travels, nothing changes, nothing is taken. */
@Timeout(60)
class AloneTest {
  @Test
  void collectivesLeaveValuesAsTheyAre() {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    try (Group group = Group.alone();
        Memory memory = new Memory()) {
      assertThat(group.rank()).isZero();
      assertThat(group.size()).isOne();
      for (Group one : List.of(group, group.subgroup(0), group.subgroup(0).subgroup(0))) {
        double[] doubles = {-0.0, Double.NaN, 3};
        one.sum(doubles);
        assertThat(doubles).containsExactly(-0.0, Double.NaN, 3);
        long[] longs = {Long.MIN_VALUE, 7};
        one.sum(longs);
        assertThat(longs).containsExactly(Long.MIN_VALUE, 7);
        MemorySegment floats = memory.allocateFloats(100_000);
        floats.setAtIndex(JAVA_FLOAT, 99_999, 5);
        one.sum(Kind.GRADIENT, floats);
        one.startSum(Kind.GRADIENT, floats).await();
        one.startHalfSum(Kind.GRADIENT, floats).await();
        one.allGather(Kind.CONTROL, floats, new long[] {0, floats.byteSize()});
        one.broadcast(0, Kind.CONTROL, floats);
        one.barrier();
        assertThat(floats.getAtIndex(JAVA_FLOAT, 99_999)).isEqualTo(5);
        assertThat(one.traffic().flows()).isEmpty();
        assertThat(one.memory().bytes()).isZero();
        assertThat(LinkProbe.measure(one)).hasSize(1);
      }
      assertThatThrownBy(() -> group.broadcast(1, Kind.CONTROL, MemorySegment.NULL))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> group.send(0, 0, Kind.CONTROL, MemorySegment.NULL))
          .hasMessageContaining("cannot talk");
      assertThat(group.memory().allocations()).isZero();
      Set<Thread> started = Thread.getAllStackTraces().keySet();
      assertThat(started.stream().filter(t -> !before.contains(t)).map(Thread::getName))
          .noneMatch(name -> name.startsWith("heddle-"));
    }
  }

  @Test
  void remembersWhereItFailed() {
    Group group = Group.alone();
    assertThat(group.failure()).isNull();
    group.at("epoch 3");
    group.fail(new IllegalStateException("boom"));
    group.fail(new IllegalStateException("later"));
    assertThat(group.failure()).hasMessageContaining("rank 0 on ");
    assertThat(group.failure()).hasMessageContaining("at epoch 3: ").hasMessageContaining("boom");
    group.close();
    group.close();
  }

  @Test
  void sumsOfMatricesTakeNoMemoryAndRoundNothing() {
    try (Group group = Group.alone();
        Memory memory = new Memory();
        Memory none = new Memory()) {
      Matrix m = Matrix.allocate(memory, 70, 40);
      m.fill(1.2345678f);
      for (MatrixSum sum :
          List.of(
              MatrixSum.of(group, none, Kind.GRADIENT, List.of(m)),
              MatrixSum.halved(group, none, Kind.GRADIENT, List.of(m)))) {
        sum.start();
        sum.finish();
        assertThatThrownBy(sum::finish).isInstanceOf(IllegalStateException.class);
      }
      assertThat(m.get(69, 39)).isEqualTo(1.2345678f);
      assertThat(none.allocations()).isZero();
    }
  }

  @Test
  void exchangesMoveNothing() {
    int[][] nothing = {{}};
    try (Group group = Group.alone();
        Memory memory = new Memory();
        ThreadTeam team = ThreadTeam.of(1)) {
      Matrix rows = Matrix.allocate(memory, 5, 3);
      rows.fill(2);
      var routes = new RowExchange.Routes(nothing, nothing);
      try (RowExchange exchange = RowExchange.over(group, memory, routes, Codec.FP32)) {
        exchange.start(team, rows, rows, Kind.HALO);
        exchange.finish(team);
        exchange.startBack(team, rows, rows, Kind.EVALUATION);
        exchange.finishBack(team);
        assertThat(rows.get(4, 2)).isEqualTo(2);
        assertThat(exchange.bytes()).isZero();
        assertThat(group.traffic().flows()).isEmpty();
      }
    }
  }

  @Test
  void runsInTheThreadOfTheCaller() {
    List<Thread> ran = new ArrayList<>();
    try (Memory budget = new Memory()) {
      LocalWorkers.run(
          1,
          GroupSettings.DEFAULT,
          budget,
          group -> {
            assertThat(group.size()).isOne();
            ran.add(Thread.currentThread());
          });
      assertThat(budget.allocations()).isZero();
    }
    LocalWorkers.run(1, GroupSettings.DEFAULT, _ -> ran.add(Thread.currentThread()));
    assertThat(ran).containsExactly(Thread.currentThread(), Thread.currentThread());
  }

  @Test
  void whatTheBodyThrowsComesAsItIs() {
    for (Throwable thrown : List.of(new IllegalArgumentException("a"), new AssertionError("b"))) {
      Group[] own = new Group[1];
      assertThatThrownBy(() ->
              runOne(group -> {
                own[0] = group;
                throwAny(thrown);
              }))
          .isSameAs(thrown);
      assertThat(own[0].failure()).hasCause(thrown);
    }
    IOException checked = new IOException("no such thing");
    assertThatThrownBy(() ->
            runOne(group -> {
              group.at("epoch 2");
              throw checked;
            }))
        .isInstanceOf(GroupException.class)
        .hasRootCause(checked)
        .hasMessageContaining("at epoch 2: ")
        .hasMessageContaining("no such thing");
    assertThatThrownBy(() -> runOne(group -> group.fail(new IOException("told"))))
        .isInstanceOf(GroupException.class)
        .hasMessageContaining("told");
  }

  @Test
  void anInterruptIsNotForgotten() {
    assertThatThrownBy(() ->
            runOne(_ -> {
              throw new InterruptedException();
            }))
        .isInstanceOf(GroupException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  private static void runOne(LocalWorkers.Body body) {
    LocalWorkers.run(1, GroupSettings.DEFAULT, body);
  }

  private static void throwAny(Throwable thrown) throws Exception {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (Exception) thrown;
  }
}
