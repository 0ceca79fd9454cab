package dev.heddle.train.loop;

import dev.heddle.comm.Codec;
import dev.heddle.comm.RowCoder;
import dev.heddle.kernel.Draws;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import dev.heddle.kernel.QuantisedRows;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.Parameter;
import dev.heddle.train.settings.GradientCodec;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Gradients of parameters as one message: one parameter after another, row by row, as they are or
 * rounded. Whoever writes and whoever reads have one each: they may be two threads.
 */
final class GradientParcel {
  private final List<Matrix> gradients = new ArrayList<>();
  private final List<RowCoder> coders = new ArrayList<>();
  private final long[] offsets;

  /** A message of the gradients of these parameters. */
  GradientParcel(List<Parameter> parameters, GradientCodec codec, Memory memory) {
    offsets = new long[parameters.size() + 1];
    Codec rows = rows(codec);
    for (int i = 0; i < parameters.size(); i++) {
      Matrix gradient = parameters.get(i).grad();
      int[] all = IntStream.range(0, gradient.rows()).toArray();
      RowCoder coder = rows.coder(memory, all, /* haloSide= */ false);
      gradients.add(gradient);
      coders.add(coder);
      offsets[i + 1] = offsets[i] + coder.bytes(gradient.cols());
    }
  }

  private static Codec rows(GradientCodec codec) {
    return switch (codec) {
      case FP32 -> Codec.FP32;
      case BITS8 -> new Codec.Quantised(8, null, null);
      case BFLOAT16 -> throw new IllegalArgumentException("bfloat16 is for sums");
    };
  }

  /** Bytes of such a message. */
  static long bytes(List<Parameter> parameters, GradientCodec codec) {
    long sum = 0;
    for (Parameter parameter : parameters) {
      Matrix gradient = parameter.grad();
      sum +=
          codec == GradientCodec.BITS8
              ? gradient.rows() * QuantisedRows.rowBytes(8, gradient.cols())
              : rows(codec).maxBytes(gradient.rows(), gradient.cols());
    }
    return sum;
  }

  long bytes() {
    return offsets[gradients.size()];
  }

  /** Where each parameter's gradient lies in a message. */
  List<MemorySegment> parts(MemorySegment message) {
    return IntStream.range(0, gradients.size())
        .mapToObj(i -> message.asSlice(offsets[i], offsets[i + 1] - offsets[i]))
        .toList();
  }

  /**
   * Writes the gradients.
   *
   * @param key by which draws are made where they are rounded: of a step at one worker
   */
  void write(ThreadTeam team, List<MemorySegment> parts, long key) {
    for (int i = 0; i < coders.size(); i++) {
      coders.get(i).encode(team, gradients.get(i), parts.get(i), Draws.at(key, i));
    }
  }

  /** Overwrites the gradients by what a message says, or adds it to them. */
  void read(ThreadTeam team, List<MemorySegment> parts, boolean add) {
    for (int i = 0; i < coders.size(); i++) {
      if (add) {
        coders.get(i).decodeAdd(team, parts.get(i), gradients.get(i));
      } else {
        coders.get(i).decode(team, parts.get(i), gradients.get(i));
      }
    }
  }
}
