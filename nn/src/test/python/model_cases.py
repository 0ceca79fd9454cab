"""Whole models as Model.create makes them, forward and backward: tensors have the names of its parameters."""

import torch.nn.functional as F
from torch.nn import LayerNorm, Linear, ModuleList, ReLU, Sequential
from torch_geometric.nn import APPNP, DeepGCNLayer, GATConv, GATv2Conv, GCN2Conv, GINConv, SAGEConv, SGConv

from cases import ARCS, GRAPH, as_is, as_row, case, drawn, transposed
from layer_cases import features, layer, norm_leaves

IN, HIDDEN, OUT = 7, 8, 3


def named(prefix, **leaves):
    return {prefix + name: leaf for name, leaf in leaves.items()}


def linear(prefix, module):
    return named(prefix, weight=(module.weight, transposed), bias=(module.bias, as_row))


def sage(prefix, conv):
    return named(
        prefix,
        self=(conv.lin_r.weight, transposed),
        neighbours=(conv.lin_l.weight, transposed),
        bias=(conv.lin_l.bias, as_row),
    )


def model(draw, modules, forward, leaves):
    """Draws the modules, runs forward(x), and has the gradients of x and of leaves(), for a drawn grad_out."""
    drawn(ModuleList(modules), draw)
    x = features(draw, IN)
    return {**GRAPH, **layer(draw, x, forward(x), leaves())}


def two_layers(draw, convs, activation, leaves_of):
    def leaves():
        return {**leaves_of("layer0.", convs[0]), **leaves_of("layer1.", convs[1])}

    return model(draw, convs, lambda x: convs[1](activation(convs[0](x, ARCS)), ARCS), leaves)


@case
def model_sage_pool(draw):
    """sage_pool 7 -> 8, relu, sage_pool 8 -> 3."""

    def leaves(prefix, conv):
        pool = named(prefix, pool=(conv.lin.weight, transposed), pool_bias=(conv.lin.bias, as_row))
        return {**pool, **sage(prefix, conv)}

    convs = [SAGEConv(*widths, aggr="max", project=True) for widths in ((IN, HIDDEN), (HIDDEN, OUT))]
    return two_layers(draw, convs, F.relu, leaves)


@case
def model_gat(draw):
    """gat 7 -> 4 heads of 2, elu, gat_mean 8 -> 2 heads of 3."""

    def leaves(prefix, conv):
        return named(
            prefix,
            weight=(conv.lin.weight, transposed),
            attention_source=(conv.att_src, as_row),
            attention_destination=(conv.att_dst, as_row),
            bias=(conv.bias, as_row),
        )

    convs = [GATConv(IN, 2, heads=4), GATConv(HIDDEN, OUT, heads=2, concat=False)]
    return two_layers(draw, convs, F.elu, leaves)


@case
def model_gatv2(draw):
    """model_gat with gatv2 layers."""

    def leaves(prefix, conv):
        return named(
            prefix,
            left=(conv.lin_l.weight, transposed),
            left_bias=(conv.lin_l.bias, as_row),
            right=(conv.lin_r.weight, transposed),
            right_bias=(conv.lin_r.bias, as_row),
            attention=(conv.att, as_row),
            bias=(conv.bias, as_row),
        )

    convs = [GATv2Conv(IN, 2, heads=4), GATv2Conv(HIDDEN, OUT, heads=2, concat=False)]
    return two_layers(draw, convs, F.elu, leaves)


@case
def model_gin(draw):
    """gin 7 -> 8 -> 8, relu, gin 8 -> 3 -> 3, eps 0.3."""

    def conv(width_in, width_out):
        return GINConv(Sequential(Linear(width_in, width_out), ReLU(), Linear(width_out, width_out)), eps=0.3)

    def leaves(prefix, conv):
        first, _, second = conv.nn
        return named(
            prefix,
            first=(first.weight, transposed),
            first_bias=(first.bias, as_row),
            second=(second.weight, transposed),
            second_bias=(second.bias, as_row),
        )

    return two_layers(draw, [conv(IN, HIDDEN), conv(HIDDEN, OUT)], F.relu, leaves)


@case
def model_gcnii(draw):
    """h0 = relu(linear 7 -> 8), three GCN2Conv (alpha 0.1, theta 0.5, layers 1 to 3) each with a relu after
    it and h0 as its x0, linear 8 -> 3."""
    first, last = Linear(IN, HIDDEN), Linear(HIDDEN, OUT)
    convs = [GCN2Conv(HIDDEN, alpha=0.1, theta=0.5, layer=number) for number in (1, 2, 3)]

    def forward(x):
        h = h0 = first(x).relu()
        for conv in convs:
            h = conv(h, h0, ARCS).relu()
        return last(h)

    def leaves():
        inner = {f"layer{i}.weight": (conv.weight1, as_is) for i, conv in enumerate(convs)}
        return {**linear("in.", first), **inner, **linear("out.", last)}

    return model(draw, [first, *convs, last], forward, leaves)


@case
def model_resgcn(draw):
    """Linear 7 -> 8, two DeepGCNLayer as in resgcn, relu(layernorm), linear 8 -> 3."""
    first, last, norm = Linear(IN, HIDDEN), Linear(HIDDEN, OUT), LayerNorm(HIDDEN)
    blocks = [
        DeepGCNLayer(SAGEConv(HIDDEN, HIDDEN), LayerNorm(HIDDEN), ReLU(), block="res+") for _ in range(2)
    ]

    def forward(x):
        h = first(x)
        for block in blocks:
            h = block(h, ARCS)
        return last(norm(h).relu())

    def leaves():
        inner = {}
        for i, block in enumerate(blocks):
            inner |= named(f"layer{i}.norm.", **norm_leaves(block.norm)) | sage(f"layer{i}.", block.conv)
        return {**linear("in.", first), **inner, **named("norm.", **norm_leaves(norm)), **linear("out.", last)}

    return model(draw, [first, *blocks, norm, last], forward, leaves)


@case
def model_sgc(draw):
    """sgc 7 -> 3, K = 3."""
    conv = SGConv(IN, OUT, K=3)
    return model(draw, [conv], lambda x: conv(x, ARCS), lambda: linear("", conv.lin))


def perceptron(draw, after):
    one, two = Linear(IN, HIDDEN), Linear(HIDDEN, OUT)

    def leaves():
        return {**linear("layer0.", one), **linear("layer1.", two)}

    return model(draw, [one, two], lambda x: after(two(one(x).relu())), leaves)


@case
def model_mlp(draw):
    """Linear 7 -> 8, relu, linear 8 -> 3."""
    return perceptron(draw, lambda h: h)


@case
def model_appnp(draw):
    """appnp (K = 5, alpha 0.1) of model_mlp."""
    return perceptron(draw, lambda h: APPNP(K=5, alpha=0.1)(h, ARCS))
