package dev.heddle.nn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.heddle.graph.Block;
import dev.heddle.graph.Normalisation;
import dev.heddle.kernel.Activation;
import dev.heddle.kernel.Csr;
import dev.heddle.kernel.Matrix;
import dev.heddle.kernel.ThreadTeam;
import dev.heddle.nn.program.Hop;
import dev.heddle.nn.program.Program;
import dev.heddle.nn.program.Recorder;
import dev.heddle.nn.program.Rows;
import dev.heddle.nn.program.Step;
import dev.heddle.nn.program.Value;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every layer against torch: outputs, and gradients by the input and by every parameter. */
class LayerFixtureTest {
  /** Puts a layer together: the value after it, given the rows before it. */
  interface Recipe {
    Value record(Recorder r, Hop hop, Value x, Parameters p, Fixture f);
  }

  private static Arguments layer(
      String name, boolean selfLoops, Map<String, String> names, Recipe recipe) {
    return Arguments.of(name, selfLoops, names, recipe);
  }

  static Stream<Arguments> cases() {
    Map<String, String> plain = Map.of("weight", "w");
    Map<String, String> sage = Map.of("self", "w_self", "neighbours", "w_nbr");
    Map<String, String> gat =
        Map.of("weight", "w", "attention_source", "a_src", "attention_destination", "a_dst");
    return Stream.of(
        layer(
            "linear",
            false,
            plain,
            (r, hop, x, p, f) ->
                r.epilogue(
                    r.linear(x, p.weight("weight", 19, 5)),
                    p.zeros("bias", 5),
                    Activation.NONE,
                    0)),
        layer(
            "relu", false, Map.of(), (r, hop, x, p, f) -> r.epilogue(x, null, Activation.RELU, 0)),
        layer("elu", false, Map.of(), (r, hop, x, p, f) -> r.epilogue(x, null, Activation.ELU, 0)),
        layer(
            "layernorm",
            false,
            Map.of(),
            (r, hop, x, p, f) -> Norm.of(NormKind.LAYER, p, x.cols()).record(r, x)),
        layer(
            "batchnorm",
            false,
            Map.of(),
            (r, hop, x, p, f) -> Norm.of(NormKind.BATCH, p, x.cols()).record(r, x)),
        layer(
            "gcn_narrow",
            true,
            plain,
            (r, hop, x, p, f) -> new GcnConv(p, 19, 5).record(r, hop, x)),
        layer(
            "gcn_wide", true, plain, (r, hop, x, p, f) -> new GcnConv(p, 6, 17).record(r, hop, x)),
        layer(
            "gcn_weighted",
            true,
            plain,
            (r, hop, x, p, f) -> new GcnConv(p, 7, 5).record(r, hop, x)),
        layer(
            "sage_mean",
            false,
            sage,
            (r, hop, x, p, f) -> new SageConv(p, 19, 5).record(r, hop, x)),
        layer(
            "sage_mean_bipartite",
            false,
            sage,
            (r, hop, x, p, f) -> new SageConv(p, 7, 5).record(r, hop, x)),
        layer(
            "sage_pool",
            false,
            Map.of(
                "self", "w_self", "neighbours", "w_nbr", "pool", "w_pool", "pool_bias", "b_pool"),
            (r, hop, x, p, f) -> new SagePoolConv(p, 7, 7, 5).record(r, hop, x)),
        layer(
            "gat",
            true,
            gat,
            (r, hop, x, p, f) ->
                new GatConv(p, 7, new AttentionHeads(4, 3, false, 0)).record(r, hop, x)),
        layer(
            "gat_mean",
            true,
            gat,
            (r, hop, x, p, f) ->
                new GatConv(p, 7, new AttentionHeads(3, 5, true, 0)).record(r, hop, x)),
        layer(
            "gat_bipartite",
            true,
            gat,
            (r, hop, x, p, f) ->
                new GatConv(p, 7, new AttentionHeads(2, 4, false, 0)).record(r, hop, x)),
        layer(
            "gatv2",
            true,
            Map.of(
                "left",
                "w_l",
                "left_bias",
                "b_l",
                "right",
                "w_r",
                "right_bias",
                "b_r",
                "attention",
                "a"),
            (r, hop, x, p, f) ->
                new Gatv2Conv(p, 7, new AttentionHeads(2, 5, false, 0)).record(r, hop, x)),
        layer(
            "resgcn",
            false,
            Map.of(
                "norm.gamma",
                "gamma",
                "norm.beta",
                "beta",
                "self",
                "w_self",
                "neighbours",
                "w_nbr"),
            (r, hop, x, p, f) -> {
              Value normed = Norm.of(NormKind.LAYER, p.under("norm"), 7).record(r, x);
              Value active = r.epilogue(normed, null, Activation.RELU, 0);
              return r.combine(1, new SageConv(p, 7, 7).record(r, hop, active), 1, x);
            }),
        layer(
            "gcnii",
            true,
            Map.of("weight0", "w1", "weight1", "w2"),
            (r, hop, x, p, f) -> {
              // The residual rows are a parameter here, so that their gradient can be compared.
              Parameter initial = Parameter.allocate(f.memory(), "x0", x.rows().capacity(), 7);
              f.matrixInto("x0", initial.value());
              Value h0 = r.embedding(x.rows(), initial);
              Value h = x;
              for (int l = 0; l < 2; l++) {
                float beta = (float) Math.log(0.5 / (l + 1) + 1);
                Value smooth = r.aggregate(hop, Normalisation.SYMMETRIC, h);
                Value support = r.combine(0.9f, smooth, 0.1f, h0);
                Parameter w = p.weight("weight" + l, 7, 7);
                h = r.combine(1 - beta, support, beta, r.linear(support, w));
                h = l == 0 ? r.epilogue(h, null, Activation.RELU, 0) : h;
              }
              return h;
            }),
        layer(
            "sgc",
            true,
            plain,
            (r, hop, x, p, f) -> {
              Value h = x;
              for (int k = 0; k < 3; k++) {
                h = r.aggregate(hop, Normalisation.SYMMETRIC, h);
              }
              return r.epilogue(
                  r.linear(h, p.weight("weight", 7, 5)), p.zeros("bias", 5), Activation.NONE, 0);
            }),
        layer(
            "appnp",
            true,
            Map.of(),
            (r, hop, x, p, f) -> {
              Value z = x;
              for (int k = 0; k < 5; k++) {
                z = r.combine(0.9f, r.aggregate(hop, Normalisation.SYMMETRIC, z), 0.1f, x);
              }
              return z;
            }),
        layer(
            "gin",
            false,
            Map.of("first", "w1", "first_bias", "b1", "second", "w2", "second_bias", "b2"),
            (r, hop, x, p, f) -> new GinLayers(p).record(r, hop, x)));
  }

  /** The fixture's GIN has a wider inner layer than {@link GinConv}; same formula. */
  private record GinLayers(Parameters p) {
    Value record(Recorder r, Hop hop, Value x) {
      Value sum = r.combine(1, r.aggregate(hop, Normalisation.SUM, x), 1.3f, x);
      Value hidden =
          r.epilogue(
              r.linear(sum, p.weight("first", 7, 9)), p.zeros("first_bias", 9), Activation.RELU, 0);
      return r.epilogue(
          r.linear(hidden, p.weight("second", 9, 5)),
          p.zeros("second_bias", 5),
          Activation.NONE,
          0);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void equalsTorch(String name, boolean selfLoops, Map<String, String> names, Recipe recipe) {
    try (Fixture f = Fixture.open(name);
        ThreadTeam team = ThreadTeam.of(2)) {
      Matrix x = f.matrix("x");
      Rows sources = new Rows(x.rows());
      Rows destinations = f.has("n_dst") ? new Rows(f.ints("n_dst")[0]) : sources;
      Block block =
          f.has("src")
              ? f.block(selfLoops)
              : Block.of(f.memory(), Csr.of(f.memory(), x.rows(), new int[x.rows()][0]));
      Hop hop = Hop.of(block, sources, destinations);
      Recorder r = new Recorder(Recorder.Options.DEFAULT);
      Parameters parameters = new Parameters(f.memory(), 1);
      Parameter input = Parameter.allocate(f.memory(), "x", x.rows(), x.cols());
      f.matrixInto("x", input.value());
      Value out = recipe.record(r, hop, r.embedding(sources, input), parameters, f);
      Map<String, Parameter> compared = new LinkedHashMap<>();
      for (Parameter p : parameters.all()) {
        String theirs = names.getOrDefault(p.name(), p.name());
        f.matrixInto(theirs, p.value());
        compared.put("grad_" + theirs, p);
      }
      Program program = r.build(out).allocate(f.memory(), team);
      for (Parameter p : program.parameters()) {
        if (p.name().equals("x0")) {
          compared.put("grad_x0", p);
        }
      }
      compared.put("grad_x", input);
      Step step = new Step(1).train(1, 0);
      // Twice: buffers are shared, so a second run must not see what the first left behind.
      for (int run = 0; run < 2; run++) {
        compared.values().forEach(Parameter::zeroGrad);
        program.forward(step);
        f.assertMatches("out", program.output(), destinations.count());
        Matrix grad = f.matrix("grad_out");
        for (int row = 0; row < grad.rows(); row++) {
          MemorySegment.copy(
              grad.data(),
              grad.offset(row),
              program.outputGrad().data(),
              program.outputGrad().offset(row),
              4L * grad.cols());
        }
        program.backward(step);
        compared.forEach((tensor, p) -> f.assertMatches(tensor, p.grad(), p.grad().rows()));
      }
      assertThat(compared).hasSizeGreaterThanOrEqualTo(1);
    }
  }
}
