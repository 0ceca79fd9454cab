"""What a training step is made of beside layers: losses, optimisers, metrics; and the steps of two models."""

import torch
import torch.nn.functional as F
from torch.nn import ModuleList
from torch_geometric.nn import GCNConv, SAGEConv

from cases import ARCS, DTYPE, GRAPH, ROWS, VERTICES, as_is, as_row, case, drawn, transposed
from cases import with_gradients
from model_cases import named, sage


def loss_over_rows(draw, targets, loss_of):
    logits = draw(VERTICES, 5)
    logits[2] = torch.tensor([-120.0, -30.0, 2.0, 20.0, 100.0])  # exp leaves float32's range
    logits.requires_grad_()
    loss = loss_of(logits[ROWS], targets[ROWS])
    gradients = with_gradients({"logits": (logits, as_is)}, loss)
    return {"targets": targets, "rows": ROWS, "loss": loss, **gradients}


@case
def cross_entropy(draw):
    """Mean over rows of -log softmax(logits)[target]; targets holds a class per vertex."""
    return loss_over_rows(draw, draw(VERTICES, 5).argmax(1), F.cross_entropy)


@case
def bce_with_logits(draw):
    """Mean over rows of the SUM over columns of the binary cross-entropy of sigmoid(logits) with targets of
    0 and 1 (torch's own mean would divide by the columns too)."""
    targets = (draw(VERTICES, 5) > 0).to(DTYPE)

    def loss_of(logits, targets):
        return F.binary_cross_entropy_with_logits(logits, targets, reduction="sum") / len(logits)

    return loss_over_rows(draw, targets, loss_of)


@case
def mse(draw):
    """Mean over rows of the SUM over columns of (logits - targets)^2 (torch's own mean would divide by the
    columns too)."""

    def loss_of(logits, targets):
        return F.mse_loss(logits, targets, reduction="sum") / len(logits)

    return loss_over_rows(draw, draw(VERTICES, 5), loss_of)


def five_steps(draw, make_optimiser):
    parameter = draw(3, 4).requires_grad_()
    optimiser = make_optimiser([parameter])
    tensors = {"param_0": parameter.detach().clone()}
    for step in range(1, 6):
        parameter.grad = draw(3, 4)
        optimiser.step()
        tensors[f"grad_{step}"] = parameter.grad
        tensors[f"param_{step}"] = parameter.detach().clone()
    return tensors


@case
def adam(draw):
    """Adam, lr 0.01, betas 0.9 and 0.999, eps 1e-8, L2 5e-4 times the parameter added to the gradient.
    param_0 is the start; step i is given grad_i and leaves param_i."""
    return five_steps(draw, lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=5e-4))


@case
def adamw(draw):
    """AdamW: as adam, but the decay of 0.01 is decoupled: each step first scales the parameter by
    1 - lr 0.01."""
    return five_steps(draw, lambda p: torch.optim.AdamW(p, lr=0.01, weight_decay=0.01))


@case
def sgd(draw):
    """SGD, lr 0.01, momentum 0.9 (not Nesterov, no dampening), L2 1e-3 times the parameter added to the
    gradient; tensors as in adam."""
    return five_steps(draw, lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, weight_decay=1e-3))


def clipped(draw, scale):
    before = {"grad_a": draw(3, 4) * scale, "grad_b": draw(2, 5) * scale}
    parameters = [torch.zeros_like(grad, requires_grad=True) for grad in before.values()]
    for parameter, grad in zip(parameters, before.values()):
        parameter.grad = grad.clone()
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm=1.0)
    return {**before, "norm": norm, "clipped_a": parameters[0].grad, "clipped_b": parameters[1].grad}


@case
def clip_grad_norm(draw):
    """clip_grad_norm_, max 1: norm over both gradients, each times min(1, 1 / (norm + 1e-6))."""
    return clipped(draw, 1)


@case
def clip_grad_norm_below(draw):
    """clip_grad_norm of gradients whose norm is below 1: unchanged."""
    return clipped(draw, 1 / 16)


def f1_scores(predicted, actual):
    """Micro and macro F1 of 0/1 matrices [rows, classes]; a class neither predicted nor present has 0."""
    hits = (predicted * actual).sum(0)
    marked = (predicted + actual).sum(0)  # = 2 TP + FP + FN
    per_class = torch.where(marked > 0, 2 * hits / marked.clamp(min=1), 0.0)
    return {"micro_f1": 2 * hits.sum() / marked.sum(), "macro_f1": per_class.mean()}


@case
def metrics_classes(draw):
    """One class per vertex, predicted = argmax: accuracy, micro F1 (equal to it) and macro F1 over rows.
    Every class is predicted or present."""
    logits, targets = draw(VERTICES, 3), draw(VERTICES, 3).argmax(1)
    predicted = logits.argmax(1)[ROWS]
    scores = f1_scores(*(F.one_hot(c, 3).to(DTYPE) for c in (predicted, targets[ROWS])))
    accuracy = (predicted == targets[ROWS]).to(DTYPE).mean()
    return {"logits": logits, "targets": targets, "rows": ROWS, "accuracy": accuracy, **scores}


@case
def metrics_labels(draw):
    """Many labels per vertex, predicted = logit > 0: micro and macro F1 over rows. The last label is neither
    predicted nor present: its F1 is 0 and counts in the macro mean."""
    logits, targets = draw(VERTICES, 5), (draw(VERTICES, 5) > 0).to(DTYPE)
    logits[:, 4], targets[:, 4] = -1, 0
    scores = f1_scores((logits[ROWS] > 0).to(DTYPE), targets[ROWS])
    return {"logits": logits, "targets": targets, "rows": ROWS, **scores}


@case
def metrics_auc(draw):
    """ROC AUC of each column, over all rows: the share of (positive, negative) pairs in order, a tie counting
    half. column_auc holds columns 0 to 3, roc_auc their mean; column 4 has no positive and is left out."""
    logits, targets = (draw(40, 5) * 4).round() / 4, (draw(40, 5) > 0).to(DTYPE)
    targets[:, 4] = 0

    def auc(scores, positive):
        gaps = scores[positive][:, None] - scores[~positive][None, :]
        return ((gaps.sign() + 1) / 2).mean()

    columns = torch.stack([auc(logits[:, c], targets[:, c] > 0) for c in range(4)])
    return {"logits": logits, "targets": targets, "column_auc": columns, "roc_auc": columns.mean()}


def two_layer_model(draw, make_conv, leaves_of):
    x, targets = draw(VERTICES, 7), draw(VERTICES, 3).argmax(1)
    convs = drawn(ModuleList([make_conv(7, 8), make_conv(8, 3)]), draw)
    leaves = {**leaves_of("layer0.", convs[0]), **leaves_of("layer1.", convs[1])}

    def forward():
        out = convs[1](convs[0](x, ARCS).relu(), ARCS)
        return out, F.cross_entropy(out[ROWS], targets[ROWS])

    out, loss = forward()
    start = {"x": x, "targets": targets, "rows": ROWS, "out": out, **with_gradients(leaves, loss)}

    optimiser = torch.optim.Adam(convs.parameters(), lr=0.01)
    losses = []
    for _ in range(3):
        _, loss = forward()
        losses.append(loss)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    losses.append(forward()[1])
    return {**GRAPH, **start, "loss": losses[0], "losses": torch.stack(losses)}


@case
def model_gcn(draw):
    """gcn 7 -> 8, relu, gcn 8 -> 3 (out), cross_entropy over rows: loss, its gradients, and losses: that loss
    and those after each of 3 steps of Adam (lr 0.01, no decay)."""

    def leaves(prefix, conv):
        return named(prefix, weight=(conv.lin.weight, transposed), bias=(conv.bias, as_row))

    return two_layer_model(draw, GCNConv, leaves)


@case
def model_sage(draw):
    """model_gcn with sage_mean layers."""
    return two_layer_model(draw, SAGEConv, sage)
