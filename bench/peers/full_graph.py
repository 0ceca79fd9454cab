"""The model, its inputs in the chosen form, and one epoch: forward, loss, backward, Adam."""

import numpy
import torch
import torch.nn.functional as F
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

import cached
from folder import Folder, csr
from protocol import Failed


class Model(torch.nn.Module):
    """Convolutions with an activation and dropout between them; the last one is bare."""

    def __init__(self, convolutions, activation, dropout):
        super().__init__()
        self.convolutions = torch.nn.ModuleList(convolutions)
        self.activation = activation
        self.dropout = dropout

    def forward(self, x, *graph):
        for convolution in self.convolutions[:-1]:
            x = self.activation(convolution(x, *graph))
            x = F.dropout(x, self.dropout, self.training)
        return self.convolutions[-1](x, *graph)


def trainer(given):
    """Returns a function that runs an epoch and returns its loss, and the number of parameters."""
    folder = Folder(given.graph)
    x = folder.features(given.sparse_features)
    graph = adjacency(folder, given)
    model = Model(convolutions(x.shape[1], folder.classes, given), activation(given), given.dropout)
    if given.sparse_features:
        x = sparse_input(x, given)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    train, labels = folder.train, folder.labels[folder.train]

    def epoch():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x, *graph)[train], labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return epoch, sum(p.numel() for p in model.parameters())


def sparse_input(x, given):
    if given.form in ("edge-index", "csr") and given.model == "sage":
        raise Failed("SAGEConv aggregates its input, which must be dense in this form")
    return x if given.form in ("edge-index", "csr") else cached.Matrix(x)


def activation(given):
    return F.elu_ if given.model == "gat" else F.relu_


def convolutions(inputs, classes, given):
    widths = [inputs] + [given.hidden] * (given.layers - 1) + [classes]
    return [
        convolution(widths[i], widths[i + 1], given, last=i == given.layers - 1)
        for i in range(given.layers)
    ]


def convolution(inputs, outputs, given, last):
    reorder = given.form == "reordered"
    if given.model == "gat":
        heads = 1 if last else given.heads
        if given.form == "heads":
            return cached.Gat(inputs, outputs // heads, heads)
        return GATConv(inputs, outputs // heads, heads=heads, add_self_loops=False)
    if given.form in ("reordered", "cached"):
        layer = cached.Gcn if given.model == "gcn" else cached.Sage
        return layer(inputs, outputs, reorder)
    if given.model == "gcn":
        return GCNConv(inputs, outputs, normalize=False)
    return SAGEConv(inputs, outputs)


def adjacency(folder, given):
    """What a convolution takes after x: normalised once here, never inside an epoch."""
    loops = given.model != "sage"
    indptr, indices = folder.with_self_loops() if loops else (folder.indptr, folder.indices)
    degree = numpy.diff(indptr)
    row = numpy.repeat(numpy.arange(folder.vertices, dtype=numpy.int32), degree)
    if given.model == "gcn":
        scale = 1 / numpy.sqrt(degree)
        values = (scale[row] * scale[indices]).astype(numpy.float32)
    elif given.model == "sage" and given.form in ("reordered", "cached"):
        values = (1 / degree[row]).astype(numpy.float32)
    else:
        values = numpy.ones(len(indices), numpy.float32)
    if given.form == "edge-index":
        arcs = torch.from_numpy(numpy.stack([indices, row]).astype(numpy.int64))
        return (arcs, torch.from_numpy(values)) if given.model == "gcn" else (arcs,)
    matrix = csr(indptr, indices, values, folder.vertices, folder.vertices)
    if given.form == "csr":
        return (matrix,)
    return (cached.Arcs(matrix) if given.form == "heads" else cached.Matrix(matrix),)
