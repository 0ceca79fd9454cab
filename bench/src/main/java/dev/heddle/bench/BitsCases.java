package dev.heddle.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * The cases of {@link SameBits}: every model, every option that says what is computed or how, and
 * the pairs of them that share code. Nothing that is chosen by measured times is among them: where
 * widths of rows adapt, they do so to a number of bytes. A line is a name, a graph and a model with
 * further options; what it does not say is filled in by {@link #USUAL}, but hidden columns, of
 * which SGC has none.
 */
final class BitsCases {
  private static final List<List<String>> USUAL =
      List.of(
          List.of("--hidden", "24"),
          List.of("--epochs", "4"),
          List.of("--evaluate-every", "2"),
          List.of("--threads", "2"),
          List.of("--seed", "5"));

  /** One worker that trains on the whole graph. */
  private static final String WHOLE =
      """
      gcn           | communities | gcn --layers 3 --row-normalise
      gcn-directed  | communities | gcn --directed --order bfs --norm layer --evaluate-every 1
      gcn-half      | communities | gcn --half --no-precompute --order degree --clip-norm 0.5
      gcn-mapped    | communities.store | gcn --features mapped --evaluate-every 0
      gcn-weighted  | weighted | gcn --residual --input-dropout 0.2
      gcn-words     | words | gcn --input-dropout 0.2 --weight-decay 5e-4 --decay-first-layer-only
      gcn-numbers   | numbers | gcn --metric rmse --optimizer sgd --lr 0.05 --momentum 0.8
      gcn-patience  | words | gcn --lr 0.2 --epochs 12 --patience 2 --evaluate-every 1
      gcn-resumed   | communities | gcn --norm batch --epochs 3 --checkpoint-every 1 \
                                  then --resume @out --epochs 6
      sage          | communities | sage --norm layer --residual --schedule step --step-epochs 2
      sage-scratch  | communities.store | sage --features mapped --scratch @scratch --layers 3
      sage-tags     | tags | sage --norm batch --optimizer adamw --weight-decay 0.01
      sage-pool     | weighted | sage-pool --order community
      gat           | communities | gat --heads 4 --output-heads 2 --attention-dropout 0.3
      gat-words     | words | gat --residual --schedule cosine --warmup 1
      gatv2         | weighted | gatv2 --norm layer --order original
      gin           | words | gin --epsilon 0.2 --layers 3 --half
      gcnii         | communities | gcnii --layers 4 --alpha 0.2 --lambda 1.0
      resgcn        | tags | resgcn --layers 4 --metric f1-macro
      sgc           | words | sgc --layers 3 --optimizer sgd
      appnp         | communities | appnp --propagations 4 --input-dropout 0.3 --half
      mlp           | numbers | mlp --layers 3 --norm batch
      """;

  /** Several workers, each with a part of the graph. */
  private static final String PARTS =
      """
      parts-gcn           | communities | gcn --workers 4 --overlap on
      parts-gcn-delta     | communities | gcn --workers 4 --codec bits2 --codec-delta on \
                                        --dropout 0 --overlap on
      parts-gcn-random    | weighted | gcn --workers 4 --codec random --codec-period 2 \
                                     --layers 3
      parts-gcn-narrow    | communities | gcn --workers 2 --codec random --codec-bits 4 \
                                        --codec-period 2 --partition random
      parts-gcn-adaptive  | communities | gcn --workers 4 --codec adaptive --codec-bits 4 \
                                        --codec-period 2 --codec-group 20
      parts-gcn-half      | communities | gcn --workers 2 --half --half-sums on --overlap on
      parts-gcn-numbers   | numbers | gcn --workers 2 --pre-aggregate on --codec bits8
      parts-gcn-resumed   | communities | gcn --workers 2 --codec bits4 --epochs 3 \
                                        --checkpoint-every 1 \
                                        then --resume @out --epochs 6 --processes
      parts-sage          | communities | sage --workers 4 --pre-aggregate on --overlap on \
                                        --norm batch
      parts-sage-bits8    | words | sage --workers 4 --codec bits8 --half-sums on \
                                  --partition streaming
      parts-sage-mapped   | communities.store | sage --workers 2 --features mapped \
                                              --partition range
      parts-sage-pool     | communities | sage-pool --workers 2 --overlap on --latency 1ms
      parts-gat           | communities | gat --workers 2 --heads 4 --overlap on
      parts-gatv2         | weighted | gatv2 --workers 4 --heads 4
      parts-gin           | tags | gin --workers 2 --pre-aggregate on --codec bits2
      parts-gcnii         | communities | gcnii --workers 4 --layers 4 --pre-aggregate on \
                                        --overlap on --codec bits4
      parts-resgcn        | words | resgcn --workers 2 --layers 3 --input-dropout 0.1
      parts-sgc           | words | sgc --workers 2 --pre-aggregate on
      parts-appnp         | tags | appnp --workers 2 --propagations 3 --overlap on
      parts-mlp           | communities | mlp --workers 2 --norm layer
      parts-processes     | communities | gcn --workers 2 --processes --overlap on \
                                        --codec bits8 --half-sums on
      """;

  /** One worker and batches. */
  private static final String BATCHES =
      """
      batch-sage            | communities | sage --batch 100 --fanout 5,3 --norm layer
      batch-sage-aggregated | communities | sage --batch 100 --fanout 5,3 --cache aggregated \
                                          --ahead
      batch-sage-mapped     | communities.store | sage --batch 100 --fanout 4,4 --ahead \
                                                --features mapped --evaluate-every 0
      batch-sage-labor      | weighted | sage --batch 100 --fanout 5,3 --sampler labor --half
      batch-sage-tags       | tags | sage --batch 64 --fanout 5,3 --norm batch --residual
      batch-sage-resumed    | communities | sage --batch 100 --fanout 5,3 --optimizer adamw \
                                          --epochs 2 --checkpoint-every 1 --ahead \
                                          then --resume @out --epochs 4
      batch-gcn-replace     | communities | gcn --batch 100 --fanout 5,3 --replace
      batch-gcn-by-weight   | weighted | gcn --batch 100 --fanout 5,3 --by-weight --ahead
      batch-gcn-all         | weighted | gcn --batch 150 --fanout -1,4 --replace --by-weight
      batch-gcn-cluster     | communities | gcn --batch 100 --sampler cluster --order bfs
      batch-gcn-half        | communities.store | gcn --batch 100 --fanout 5,3 --half \
                                                --features mapped
      batch-gat-shadow      | words | gat --batch 100 --fanout 5,3 --sampler shadow \
                                    --input-dropout 0.1
      batch-gatv2           | weighted | gatv2 --batch 100 --fanout 5,3 --attention-dropout 0.2
      batch-gin             | words.store | gin --batch 100 --fanout 5,3 --features mapped --ahead
      batch-sage-pool       | numbers | sage-pool --batch 100 --fanout 5,3 --ahead
      batch-sgc             | tags | sgc --batch 64 --fanout 4,3 --sampler labor
      batch-mlp             | communities | mlp --batch 100
      batch-gcnii           | communities | gcnii --batch 100 --layers 3 --fanout 4,3,2
      batch-appnp           | communities | appnp --batch 100 --propagations 2 --fanout 4,3
      """;

  /** Several workers that share batches. */
  private static final String SHARED =
      """
      shared-sage           | communities | sage --workers 4 --batch 100 --fanout 5,3 \
                                          --macrobatch 1
      shared-sage-ahead     | communities | sage --workers 4 --batch 100 --fanout 5,3 \
                                          --macrobatch 3 --ahead --norm layer
      shared-sage-cache     | communities | sage --workers 2 --batch 100 --fanout 5,3 \
                                          --macrobatch 2 --cache-bytes 8k
      shared-sage-vip       | communities.store | sage --workers 4 --batch 100 --fanout 5,3 \
                                                --macrobatch 4 --ahead --cache-bytes 8k \
                                                --cache-rank vip --codec bits4
      shared-sage-mapped    | communities.store | sage --workers 2 --batch 100 --fanout 5,3 \
                                                --features mapped --ahead --evaluate-every 0
      shared-sage-whole     | communities | sage --workers 2 --batch 100 --fanout 5,3 \
                                          --topology replicated --cache aggregated
      shared-sage-resumed   | communities | sage --workers 2 --batch 100 --fanout 5,3 --ahead \
                                          --epochs 2 --checkpoint-every 1 \
                                          then --resume @out --epochs 4
      shared-gcn-aggregated | communities | gcn --workers 4 --batch 100 --fanout 5,3 \
                                          --cache aggregated --half-sums on --macrobatch 2
      shared-gcn-by-weight  | weighted | gcn --workers 2 --batch 100 --fanout 5,3 --by-weight \
                                       --replace --codec bits8 --ahead
      shared-gcn-labor      | weighted | gcn --workers 2 --batch 100 --fanout 5,3 --ahead \
                                       --sampler labor
      shared-gat            | communities | gat --workers 2 --batch 100 --fanout 5,3 \
                                          --macrobatch 2 --topology replicated
      shared-gin            | words | gin --workers 2 --batch 100 --fanout 5,3 --ahead
      shared-gin-mapped     | words.store | gin --workers 2 --batch 100 --fanout 5,3 \
                                          --features mapped
      shared-gcnii          | tags | gcnii --workers 2 --batch 100 --layers 3 --fanout 4,3,2
      shared-processes      | communities.store | sage --workers 2 --batch 100 --fanout 5,3 \
                                                --processes --macrobatch 2 --ahead \
                                                --features mapped --cache-bytes 8k
      """;

  private BitsCases() {}

  static List<BitsCase> all() {
    return List.of(WHOLE, PARTS, BATCHES, SHARED).stream()
        .flatMap(String::lines)
        .map(BitsCases::parse)
        .toList();
  }

  private static BitsCase parse(String line) {
    String[] fields = line.split("\\|", -1);
    String model = fields[2].strip();
    String arguments = "--graph @" + fields[1].strip() + " --out @out --model " + model;
    BitsCase said = BitsCase.parse(fields[0].strip(), arguments);
    List<List<String>> steps = new ArrayList<>(said.steps());
    steps.set(0, filled(steps.getFirst()));
    return new BitsCase(said.name(), steps);
  }

  /** What a resumed run does not say, its folder does: the first training alone is filled in. */
  private static List<String> filled(List<String> step) {
    List<String> all = new ArrayList<>(step);
    for (List<String> usual : USUAL) {
      boolean hidden = usual.getFirst().equals("--hidden");
      if (!step.contains(usual.getFirst()) && !(hidden && step.contains("sgc"))) {
        all.addAll(usual);
      }
    }
    return all;
  }
}
