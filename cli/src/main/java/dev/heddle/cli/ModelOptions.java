package dev.heddle.cli;

import dev.heddle.nn.ModelKind;
import dev.heddle.nn.ModelSpec;
import dev.heddle.nn.NormKind;
import picocli.CommandLine.Option;

/** The options that describe a model. */
final class ModelOptions {
  @Option(
      names = "--model",
      description = "Architecture: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private ModelKind kind = ModelKind.GCN;

  @Option(names = "--layers", description = "Layers (default: ${DEFAULT-VALUE}).")
  private int layers = 2;

  @Option(
      names = "--hidden",
      description = {
        "Columns of hidden layers (default: ${DEFAULT-VALUE}).",
        "Of all attention heads together."
      })
  private int hidden = 64;

  @Option(names = "--heads", description = "Attention heads (default: ${DEFAULT-VALUE}).")
  private int heads = 8;

  @Option(
      names = "--output-heads",
      description = "Averaged attention heads of the last layer (default: ${DEFAULT-VALUE}).")
  private int outputHeads = 1;

  @Option(names = "--dropout", description = "Of hidden layers (default: ${DEFAULT-VALUE}).")
  private float dropout = 0.5f;

  @Option(names = "--input-dropout", description = "Of input features (default: ${DEFAULT-VALUE}).")
  private float inputDropout;

  @Option(
      names = "--attention-dropout",
      description = "Of attention weights (default: ${DEFAULT-VALUE}).")
  private float attentionDropout;

  @Option(
      names = "--norm",
      description = "Between layers: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private NormKind norm = NormKind.NONE;

  @Option(
      names = "--residual",
      description = "Add a linear map of a vertex's own row in each layer.")
  private boolean residual;

  @Option(
      names = "--alpha",
      description = "Share of the initial rows in GCNII and APPNP (default: ${DEFAULT-VALUE}).")
  private float alpha = 0.1f;

  @Option(
      names = "--lambda",
      description = "Decay of GCNII's weights with depth (default: ${DEFAULT-VALUE}).")
  private float lambda = 0.5f;

  @Option(
      names = "--propagations",
      description = "Propagation steps of APPNP (default: ${DEFAULT-VALUE}).")
  private int propagations = 10;

  @Option(
      names = "--epsilon",
      description =
          "Weight of a vertex's own row beside its neighbours' in GIN (default: ${DEFAULT-VALUE}).")
  private float epsilon;

  @Option(
      names = "--decay-first-layer-only",
      negatable = true,
      fallbackValue = "true",
      description = "Weight decay on the first layer alone, as Kipf & Welling have it.")
  private boolean decayFirstLayerOnly;

  ModelSpec spec() {
    return ModelSpec.of(kind)
        .layers(layers)
        .hidden(hidden)
        .heads(heads)
        .outputHeads(outputHeads)
        .dropout(dropout)
        .inputDropout(inputDropout)
        .attentionDropout(attentionDropout)
        .norm(norm)
        .residual(residual)
        .alpha(alpha)
        .lambda(lambda)
        .epsilon(epsilon)
        .propagations(propagations)
        .decayFirstLayerOnly(decayFirstLayerOnly)
        .build();
  }
}
