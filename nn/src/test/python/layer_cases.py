"""Layers, forward and backward. A docstring gives the formula that torch's or PyG's layer computes."""

import torch
import torch.nn.functional as F
from torch.nn import BatchNorm1d, LayerNorm, Linear, ReLU, Sequential
from torch_geometric.nn import (
    APPNP,
    DeepGCNLayer,
    GATConv,
    GATv2Conv,
    GCN2Conv,
    GCNConv,
    GINConv,
    SAGEConv,
    SGConv,
)

from cases import ARCS, BLOCK, BLOCK_ARCS, DESTINATIONS, GRAPH, VERTICES
from cases import as_is, as_row, case, drawn, transposed, with_gradients


def features(draw, width, rows=VERTICES):
    return draw(rows, width).requires_grad_()


def linear_leaves(linear):
    return {"w": (linear.weight, transposed), "bias": (linear.bias, as_row)}


def norm_leaves(norm):
    return {"gamma": (norm.weight, as_row), "beta": (norm.bias, as_row)}


def gcn_leaves(conv):
    return {"w": (conv.lin.weight, transposed), "bias": (conv.bias, as_row)}


def sage_leaves(conv):
    return {
        "w_nbr": (conv.lin_l.weight, transposed),
        "w_self": (conv.lin_r.weight, transposed),
        "bias": (conv.lin_l.bias, as_row),
    }


def gat_leaves(conv):
    return {
        "w": (conv.lin.weight, transposed),
        "a_src": (conv.att_src, as_row),
        "a_dst": (conv.att_dst, as_row),
        "bias": (conv.bias, as_row),
    }


def layer(draw, x, out, leaves):
    """The tensors of a layer's forward and backward pass, for the loss (out * grad_out).sum()."""
    grad_out = draw(*out.shape)
    leaves = {"x": (x, as_is), **leaves}
    return {"out": out, "grad_out": grad_out, **with_gradients(leaves, out, grad_out)}


@case
def linear(draw):
    """out = x w + bias."""
    x, module = features(draw, 19), drawn(Linear(19, 5), draw)
    return layer(draw, x, module(x), linear_leaves(module))


@case
def relu(draw):
    """out = max(x, 0), whose gradient at 0 is 0; x[0, 0] = 0."""
    x = draw(VERTICES, 19)
    x[0, 0] = 0
    x.requires_grad_()
    return layer(draw, x, x.relu(), {})


@case
def elu(draw):
    """out = x where x > 0, else exp(x) - 1; x[0, 0] = 0 and x[0, 1] = -40."""
    x = draw(VERTICES, 19)
    x[0, :2] = torch.tensor([0.0, -40.0])
    x.requires_grad_()
    return layer(draw, x, F.elu(x), {})


@case
def layernorm(draw):
    """LayerNorm over each row, eps 1e-5: out = (x - mean) / sqrt(var + eps) * gamma + beta, var biased."""
    x, module = features(draw, 19), drawn(LayerNorm(19), draw)
    return layer(draw, x, module(x), norm_leaves(module))


@case
def batchnorm(draw):
    """BatchNorm1d in training, eps 1e-5, normalised by the batch's biased variance; the running values
    before and after it (momentum 0.1, the unbiased variance), and out_eval, computed from those after."""
    x, module = features(draw, 19), drawn(BatchNorm1d(19), draw)
    module.running_mean.copy_(draw(19))
    module.running_var.copy_(draw(19).abs())
    before = {"running_mean": as_row(module.running_mean.clone())}
    before["running_var"] = as_row(module.running_var.clone())
    trained = layer(draw, x, module(x), norm_leaves(module))
    after = {"running_mean_after": as_row(module.running_mean)}
    after["running_var_after"] = as_row(module.running_var)
    return {**before, **trained, **after, "out_eval": module.eval()(x)}


def gcn(draw, width_in, width_out):
    x, conv = features(draw, width_in), drawn(GCNConv(width_in, width_out), draw)
    return {**GRAPH, **layer(draw, x, conv(x, ARCS), gcn_leaves(conv))}


@case
def gcn_narrow(draw):
    """GCNConv 19 -> 5: out = P x w + bias. The arcs' own loops are dropped and every vertex given one;
    P[v, u] = sum over arcs u -> v of 1 / sqrt(d(u) d(v)), d = in-degree then."""
    return gcn(draw, 19, 5)


@case
def gcn_wide(draw):
    """gcn_narrow with 6 -> 17."""
    return gcn(draw, 6, 17)


@case
def gcn_weighted(draw):
    """GCNConv 7 -> 5 with arc weights: P[v, u] = sum of weight / sqrt(d(u) d(v)), d = summed weight of
    the in-arcs. A loop keeps its weight; a vertex without one gets one of weight 1."""
    x, conv = features(draw, 7), drawn(GCNConv(7, 5), draw)
    weight = draw(ARCS.shape[1]).abs()
    return {**GRAPH, "arc_weight": weight, **layer(draw, x, conv(x, ARCS, weight), gcn_leaves(conv))}


@case
def sage_mean(draw):
    """SAGEConv 19 -> 5, mean: out[v] = mean(x[u] over arcs u -> v) w_nbr + bias + x[v] w_self. Arcs are
    taken as they are, a loop or a repeated arc counting each time; the mean of none is 0."""
    x, conv = features(draw, 19), drawn(SAGEConv(19, 5), draw)
    return {**GRAPH, **layer(draw, x, conv(x, ARCS), sage_leaves(conv))}


@case
def sage_mean_bipartite(draw):
    """sage_mean 7 -> 5 over a block: x has a row per source, out one per destination; the destinations
    are the first n_dst sources."""
    x, conv = features(draw, 7, rows=12), drawn(SAGEConv(7, 5), draw)
    out = conv((x, x[:DESTINATIONS]), BLOCK_ARCS)
    return {**BLOCK, **layer(draw, x, out, sage_leaves(conv))}


@case
def sage_pool(draw):
    """SAGEConv 7 -> 5, max of projected rows: out[v] = max(relu(x[u] w_pool + b_pool) over arcs u -> v) w_nbr
    + bias + x[v] w_self; the max of none is 0. Above 0 only repeated arcs tie."""
    x, conv = features(draw, 7), drawn(SAGEConv(7, 5, aggr="max", project=True), draw)
    pool = {"w_pool": (conv.lin.weight, transposed), "b_pool": (conv.lin.bias, as_row)}
    return {**GRAPH, **layer(draw, x, conv(x, ARCS), {**pool, **sage_leaves(conv)})}


def gat_layer(draw, **options):
    x, conv = features(draw, 7), drawn(GATConv(7, **options), draw)
    return {**GRAPH, **layer(draw, x, conv(x, ARCS), gat_leaves(conv))}


@case
def gat(draw):
    """GATConv 7 -> 4 heads of 3, side by side: head h has columns 3h to 3h + 2 of w, a_src, a_dst and out.
    Per head, with z = x w: out[v] = bias + sum over arcs u -> v of p(u, v) z[u], where p is the softmax over
    those arcs of leakyrelu(a_src . z[u] + a_dst . z[v], slope 0.2). The arcs' own loops are dropped and every
    vertex given one; a repeated arc counts each time."""
    return gat_layer(draw, out_channels=3, heads=4)


@case
def gat_mean(draw):
    """gat with 3 heads of 5: out = mean of the heads + bias."""
    return gat_layer(draw, out_channels=5, heads=3, concat=False)


@case
def gat_bipartite(draw):
    """gat with 2 heads of 4 over a block: x has a row per source, out one per destination; the destinations
    are the first n_dst sources. Each of them is given one loop in place of its own."""
    x, conv = features(draw, 7, rows=12), drawn(GATConv(7, 4, heads=2), draw)
    out = conv((x, x[:DESTINATIONS]), BLOCK_ARCS)
    return {**BLOCK, **layer(draw, x, out, gat_leaves(conv))}


@case
def gatv2(draw):
    """GATv2Conv 7 -> 2 heads of 5, side by side. Per head, with l = x w_l + b_l and r = x w_r + b_r:
    out[v] = bias + sum over arcs u -> v of p(u, v) l[u], where p is the softmax over those arcs of
    a . leakyrelu(l[u] + r[v], slope 0.2). Loops as in gat."""
    x, conv = features(draw, 7), drawn(GATv2Conv(7, 5, heads=2), draw)
    leaves = {
        "w_l": (conv.lin_l.weight, transposed),
        "b_l": (conv.lin_l.bias, as_row),
        "w_r": (conv.lin_r.weight, transposed),
        "b_r": (conv.lin_r.bias, as_row),
        "a": (conv.att, as_row),
        "bias": (conv.bias, as_row),
    }
    return {**GRAPH, **layer(draw, x, conv(x, ARCS), leaves)}


@case
def gin(draw):
    """GINConv, eps 0.3: out = relu(s w1 + b1) w2 + b2 with s[v] = 1.3 x[v] + sum of x[u] over arcs u -> v,
    taken as they are."""
    x, mlp = features(draw, 7), Sequential(Linear(7, 9), ReLU(), Linear(9, 5))
    conv = drawn(GINConv(mlp, eps=0.3), draw)
    leaves = {
        "w1": (mlp[0].weight, transposed),
        "b1": (mlp[0].bias, as_row),
        "w2": (mlp[2].weight, transposed),
        "b2": (mlp[2].bias, as_row),
    }
    return {**GRAPH, **layer(draw, x, conv(x, ARCS), leaves)}


@case
def gcnii(draw):
    """Two GCN2Conv with relu between: out = g(relu(g(x, w1)), w2), where g(h, w) = s ((1 - b) I + b w) and
    s = 0.9 P h + 0.1 x0; b = ln(0.5 / l + 1) in layer l = 1, 2; P as in gcn_narrow."""
    x, x0 = features(draw, 7), features(draw, 7)
    one, two = (drawn(GCN2Conv(7, alpha=0.1, theta=0.5, layer=l), draw) for l in (1, 2))
    out = two(one(x, x0, ARCS).relu(), x0, ARCS)
    # GCN2Conv multiplies by its weight from the right: it is [in, out] already.
    leaves = {"x0": (x0, as_is), "w1": (one.weight1, as_is), "w2": (two.weight1, as_is)}
    return {**GRAPH, **layer(draw, x, out, leaves)}


@case
def resgcn(draw):
    """DeepGCNLayer, block "res+": out = x + sage_mean(relu(layernorm(x))), no dropout."""
    # torch's LayerNorm, over a row; PyG's own takes mean and variance over the whole graph.
    x, conv, norm = features(draw, 7), SAGEConv(7, 7), LayerNorm(7)
    block = drawn(DeepGCNLayer(conv, norm, ReLU(), block="res+"), draw)
    return {**GRAPH, **layer(draw, x, block(x, ARCS), {**norm_leaves(norm), **sage_leaves(conv)})}


@case
def sgc(draw):
    """SGConv, K = 3: out = P P P x w + bias, P as in gcn_narrow."""
    x, conv = features(draw, 7), drawn(SGConv(7, 5, K=3), draw)
    return {**GRAPH, **layer(draw, x, conv(x, ARCS), linear_leaves(conv.lin))}


@case
def appnp(draw):
    """APPNP, K = 5, alpha 0.1: h = x, then 5 times h = 0.9 P h + 0.1 x; P as in gcn_narrow."""
    x = features(draw, 7)
    return {**GRAPH, **layer(draw, x, APPNP(K=5, alpha=0.1)(x, ARCS), {})}
