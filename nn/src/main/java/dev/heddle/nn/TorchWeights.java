package dev.heddle.nn;

import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.Memory;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A model's weights by the names and in the shapes of PyTorch Geometric's modules ({@code GCNConv},
 * {@code SAGEConv}, {@code GATConv}, {@code GATv2Conv}, {@code GINConv}), {@code convs.l.…} of
 * layer l, with {@code norms.l.…} of {@code torch.nn.LayerNorm} or {@code BatchNorm1d} and {@code
 * residuals.l.weight}. Linear maps are {@code out × in} there, and {@code in × out} here.
 */
public final class TorchWeights {
  private final ModelSpec spec;
  private final ModelKind kind;
  private final Map<String, Matrix> state;
  private final SafetensorsWriter writer;
  private final Memory memory;

  private TorchWeights(Model model, ModelKind kind, SafetensorsWriter writer, Memory memory) {
    spec = model.spec();
    this.kind = kind;
    state = model.parameters().state();
    this.writer = writer;
    this.memory = memory;
  }

  /**
   * Adds a model's weights to a file; a model without equivalent modules is refused.
   *
   * @param memory for what is turned round, until the file is written
   */
  public static void add(Model model, SafetensorsWriter writer, Memory memory) {
    if (!(model.spec().kind() instanceof ModelKind kind) || !exportable(kind)) {
      throw new IllegalArgumentException(
          model.spec().kind()
              + " has no equal among PyTorch Geometric's modules that weights could be exported to:"
              + " gcn, sage, gat, gatv2 and gin have");
    }
    TorchWeights weights = new TorchWeights(model, kind, writer, memory);
    for (int layer = 0; layer < model.spec().layers(); layer++) {
      weights.convolution("layer" + layer + ".", "convs." + layer + ".", layer);
      weights.around("layer" + layer + ".", layer);
    }
  }

  private static boolean exportable(ModelKind kind) {
    return switch (kind) {
      case GCN, SAGE, GAT, GATV2, GIN -> true;
      case SAGE_POOL, GCNII, RESGCN, SGC, APPNP, MLP -> false;
    };
  }

  private void convolution(String ours, String theirs, int layer) {
    switch (kind) {
      case GCN -> turned(ours + "weight", theirs + "lin.weight");
      case SAGE -> {
        turned(ours + "neighbours", theirs + "lin_l.weight");
        turned(ours + "self", theirs + "lin_r.weight");
        vector(ours + "bias", theirs + "lin_l.bias");
        return;
      }
      case GAT -> {
        turned(ours + "weight", theirs + "lin.weight");
        heads(ours + "attention_source", theirs + "att_src", layer);
        heads(ours + "attention_destination", theirs + "att_dst", layer);
      }
      case GATV2 -> {
        turned(ours + "left", theirs + "lin_l.weight");
        vector(ours + "left_bias", theirs + "lin_l.bias");
        turned(ours + "right", theirs + "lin_r.weight");
        vector(ours + "right_bias", theirs + "lin_r.bias");
        heads(ours + "attention", theirs + "att", layer);
      }
      case GIN -> {
        turned(ours + "first", theirs + "nn.0.weight");
        vector(ours + "first_bias", theirs + "nn.0.bias");
        turned(ours + "second", theirs + "nn.2.weight");
        vector(ours + "second_bias", theirs + "nn.2.bias");
        Matrix epsilon = Matrix.of(memory, new float[][] {{spec.epsilon()}});
        writer.add(theirs + "eps", List.of(1L), epsilon);
        return;
      }
      default -> throw new AssertionError(kind);
    }
    vector(ours + "bias", theirs + "bias");
  }

  /** What stands around a convolution: a normalisation behind it, a linear map beside it. */
  private void around(String ours, int layer) {
    String norm = "norms." + layer + ".";
    if (state.containsKey(ours + "norm.gamma")) {
      vector(ours + "norm.gamma", norm + "weight");
      vector(ours + "norm.beta", norm + "bias");
    }
    if (state.containsKey(ours + "norm.mean")) {
      vector(ours + "norm.mean", norm + "running_mean");
      vector(ours + "norm.variance", norm + "running_var");
    }
    if (state.containsKey(ours + "residual")) {
      turned(ours + "residual", "residuals." + layer + ".weight");
    }
  }

  private Matrix ours(String name) {
    return Objects.requireNonNull(state.get(name), name);
  }

  private void turned(String name, String theirs) {
    Matrix ours = ours(name);
    Matrix turned = Matrix.allocate(memory, /* rows= */ ours.cols(), /* cols= */ ours.rows());
    ours.transposeInto(turned);
    writer.add(theirs, turned);
  }

  private void vector(String name, String theirs) {
    Matrix ours = ours(name);
    writer.add(theirs, List.of((long) ours.cols()), ours);
  }

  /** A row of all heads' numbers, which is {@code 1 × heads × width} there. */
  private void heads(String name, String theirs, int layer) {
    Matrix ours = ours(name);
    long heads = layer == spec.layers() - 1 ? spec.outputHeads() : spec.heads();
    writer.add(theirs, List.of(1L, heads, ours.cols() / heads), ours);
  }
}
