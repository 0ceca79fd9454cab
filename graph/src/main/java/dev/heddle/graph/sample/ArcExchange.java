package dev.heddle.graph.sample;

import java.lang.foreign.MemorySegment;

/**
 * Joins the sampler of one worker to those of all others: moves requests for arcs and answers
 * between them. Samplers write and read these bytes, and know nothing of a network.
 */
public interface ArcExchange {
  /** The exchange of a worker that has all arcs, which is never asked for anything. */
  ArcExchange NONE =
      new ArcExchange() {
        @Override
        public void sum(MemorySegment floats) {
          throw new IllegalStateException("a worker that has all arcs knows all degrees");
        }

        @Override
        public void exchange(NeighbourSampler sampler) {
          throw new IllegalStateException("a worker that has all arcs draws all of them itself");
        }

        @Override
        public void tell(CooperativeSampler sampler) {
          throw new IllegalStateException("a worker that is alone owns all vertices");
        }
      };

  /**
   * Sums a float for each vertex over all workers, in place. Called once, before the first sample,
   * where a worker lacks degrees that it needs: only owners know them.
   */
  void sum(MemorySegment floats);

  /**
   * One hop of all batches: a request to every other worker ({@link NeighbourSampler#writeRequest})
   * and its answer ({@link NeighbourSampler#take}), and an answer to the request of each ({@link
   * NeighbourSampler#answerBytes}, {@link NeighbourSampler#writeAnswer}).
   */
  void exchange(NeighbourSampler sampler);

  /**
   * One hop of all batches that workers sample together: a request to every other worker ({@link
   * CooperativeSampler#writeRequest}) and one from each ({@link CooperativeSampler#readRequest}),
   * which nobody answers.
   */
  void tell(CooperativeSampler sampler);
}
