package dev.heddle.nn.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A result that is not kept from forward to backward but computed again, just before the first
 * backward that reads it, from what is there anyway: features, or rows that are kept for others. A
 * hidden layer's rows after normalisation, activation and dropout come from those before them, for
 * example, which halves what a deep network keeps (Chen et al., "Training Deep Nets with Sublinear
 * Memory Cost", 2016; GNNPipe does so for each chunk).
 *
 * @param ops by their numbers, in their order: they write one slot, the later ones in place
 * @param before the operations whose backward comes next
 */
record Replay(List<Integer> ops, Stretch before) {
  /** All that is worth it in a program whose operations run backward in these stretches. */
  static List<Replay> of(Recording recording, List<Stretch> back) {
    return new Search(recording).replays(back);
  }

  /** What is known of each slot that holds values. */
  private static final class Search {
    private final Recording recording;
    private final List<Op> ops;
    private final Map<Slot, List<Integer>> writers = new LinkedHashMap<>();
    private final Map<Slot, Integer> lastForward = new HashMap<>();
    private final Map<Slot, Span> backward = new HashMap<>();

    Search(Recording recording) {
      this.recording = recording;
      ops = recording.ops();
      for (int i = 0; i < ops.size(); i++) {
        Op op = ops.get(i);
        Value out = op.output();
        writers.computeIfAbsent(out.dataSlot(), _ -> new ArrayList<>()).add(i);
        for (Value x : op.inputs()) {
          lastForward.put(x.dataSlot(), i);
          if (out.needsGrad() && op.keepsInputs() && !out.sharesMemoryWith(x)) {
            readBackward(x, i);
          }
        }
        if (out.needsGrad() && op.keepsOutput()) {
          readBackward(out, i);
        }
      }
    }

    private void readBackward(Value x, int reader) {
      backward.computeIfAbsent(x.dataSlot(), _ -> new Span()).include(reader);
    }

    List<Replay> replays(List<Stretch> back) {
      Set<Slot> forgotten = new HashSet<>();
      List<Replay> replays = new ArrayList<>();
      writers.forEach((slot, chain) -> {
        Span readers = backward.get(slot);
        if (readers == null || isOutput(slot) || !canReplay(chain) || !frees(slot)) {
          return;
        }
        Stretch before = containing(readers.last(), back);
        Op first = ops.get(chain.getFirst());
        if (first.inputs().stream().allMatch(x -> isThere(x, before, forgotten))) {
          forgotten.add(slot);
          replays.add(new Replay(List.copyOf(chain), before));
        }
      });
      return replays;
    }

    private boolean isOutput(Slot slot) {
      return recording.outputs().stream().anyMatch(x -> x.dataSlot() == slot);
    }

    /** The first operation makes a value of its own, and all others change it in place. */
    private boolean canReplay(List<Integer> chain) {
      return chain.stream().allMatch(i -> ops.get(i).replays()) && isFresh(chain.getFirst());
    }

    private boolean isFresh(int op) {
      Value out = ops.get(op).output();
      return ops.get(op).inputs().stream().noneMatch(out::sharesMemoryWith);
    }

    /**
     * Whether memory is taken between the last forward that reads a slot and its first backward.
     */
    private boolean frees(Slot slot) {
      for (int i = ops.size() - 1; i > lastForward.getOrDefault(slot, ops.size()); i--) {
        if (isFresh(i)) {
          return true;
        }
      }
      return false;
    }

    private static Stretch containing(int op, List<Stretch> stretches) {
      return stretches.stream()
          .filter(s -> s.from() <= op && op < s.to())
          .findFirst()
          .orElseThrow();
    }

    /** Whether a value is at hand when some backward is about to run. */
    private boolean isThere(Value x, Stretch before, Set<Slot> forgotten) {
      if (x.external() || x.constant()) {
        return true;
      }
      Span readers = backward.get(x.dataSlot());
      return readers != null && readers.first() < before.to() && !forgotten.contains(x.dataSlot());
    }
  }
}
