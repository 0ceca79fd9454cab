package dev.heddle.train.layers;

import dev.heddle.comm.Group;
import dev.heddle.comm.Kind;
import dev.heddle.comm.RowExchange;
import dev.heddle.kernel.RowIds;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import dev.heddle.train.halo.StepExchange;
import dev.heddle.train.loop.Worker;
import dev.heddle.train.settings.CodecKind;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What crosses from one stage to the next: for each chunk the rows of one or two values, and their
 * gradients back. Each chunk and value has an exchange of its own, so that a stage can go on to the
 * next chunk while the last one's rows are under way, and rows may come long before they are asked
 * for.
 */
final class Boundary implements AutoCloseable {
  /** Numbers of draws below those of values that travel inside a stage. */
  private static final int DRAWS = Integer.MIN_VALUE;

  private final ThreadTeam team;
  private final int draws;
  private final List<List<Value>> values;
  private final StepExchange[][] exchanges;

  /**
   * One side of a boundary; the other makes its own at the same point.
   *
   * @param sends whether rows are sent from here; else they come
   * @param values of each chunk
   */
  Boundary(
      Group pair,
      boolean sends,
      List<List<Value>> values,
      List<RowIds> ids,
      CodecKind codec,
      int stage,
      Worker worker) {
    team = worker.team();
    draws = DRAWS + 2 * stage;
    this.values = values;
    exchanges = new StepExchange[values.size()][];
    for (int c = 0; c < exchanges.length; c++) {
      List<Value> ofChunk = values.get(c);
      exchanges[c] = new StepExchange[ofChunk.size()];
      for (int v = 0; v < exchanges[c].length; v++) {
        int[] all = IntStream.range(0, ofChunk.get(v).rows().count()).toArray();
        int[][] there = {new int[0], sends ? all : new int[0]};
        int[][] here = {sends ? new int[0] : all, new int[0]};
        exchanges[c][v] =
            new StepExchange(
                pair,
                worker.memory(),
                new RowExchange.Routes(there, here),
                codec,
                new StepExchange.Rows(ids.get(c), ids.get(c), Kind.BOUNDARY),
                worker.lane());
      }
    }
  }

  /** Hands a chunk's rows on. */
  void send(int chunk, Step step) {
    start(chunk, step);
    finish(chunk);
  }

  /** Makes ready for a chunk's rows to come. */
  void expect(int chunk, Step step) {
    start(chunk, step);
  }

  /** Waits for a chunk's rows. */
  void take(int chunk) {
    finish(chunk);
  }

  private void start(int chunk, Step step) {
    for (int v = 0; v < exchanges[chunk].length; v++) {
      Value value = values.get(chunk).get(v);
      exchanges[chunk][v].start(team, value.data(), value.data(), step, draws + v);
    }
  }

  private void finish(int chunk) {
    for (StepExchange exchange : exchanges[chunk]) {
      exchange.finish(team);
    }
  }

  /** Hands back the gradients of rows that came. */
  void sendBack(int chunk, Step step) {
    startBack(chunk, step);
    finishBack(chunk);
  }

  /** Makes ready for the gradients of rows that were sent. */
  void expectBack(int chunk, Step step) {
    startBack(chunk, step);
  }

  /** Waits for the gradients of rows that were sent. */
  void takeBack(int chunk) {
    for (int v = 0; v < exchanges[chunk].length; v++) {
      // Where they are added to, rows may have been until now.
      values.get(chunk).get(v).grad().data().fill((byte) 0);
    }
    finishBack(chunk);
  }

  private void startBack(int chunk, Step step) {
    for (int v = 0; v < exchanges[chunk].length; v++) {
      Value value = values.get(chunk).get(v);
      exchanges[chunk][v].startBack(team, value.grad(), value.grad(), step, draws + v);
    }
  }

  private void finishBack(int chunk) {
    for (StepExchange exchange : exchanges[chunk]) {
      exchange.finishBack(team);
    }
  }

  /** Adds how long rows crossed so far. */
  void addTimesTo(long[] figures) {
    for (StepExchange[] ofChunk : exchanges) {
      for (StepExchange exchange : ofChunk) {
        exchange.addTimesTo(figures);
      }
    }
  }

  @Override
  public void close() {
    for (StepExchange[] ofChunk : exchanges) {
      for (StepExchange exchange : ofChunk) {
        exchange.close();
      }
    }
  }
}
