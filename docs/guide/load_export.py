"""Loads what `heddle export RUN --out DIR` has written into PyTorch Geometric, and runs it.

    from load_export import load
    network = load("exported/model.safetensors")
    logits = network(x, edge_index)        # x: vertices x features, edge_index: 2 x arcs, source above target

Needs torch, torch_geometric and safetensors.
"""

import sys

import torch
from safetensors import safe_open
from torch_geometric.nn import GATConv, GATv2Conv, GCNConv, GINConv, SAGEConv


class Network(torch.nn.Module):
    """Convolutions one after another, each but the last with a normalisation and an activation behind it."""

    def __init__(self, said):
        super().__init__()
        kind = said["kind"]
        layers, hidden = int(said["layers"]), int(said["hidden"])
        self.activation = torch.nn.functional.elu if kind in ("gat", "gatv2") else torch.relu
        self.convs = torch.nn.ModuleList()
        self.norms = torch.nn.ModuleList()
        self.residuals = torch.nn.ModuleList()
        for layer in range(layers):
            last = layer == layers - 1
            width = int(said["features"]) if layer == 0 else hidden
            out = int(said["outputs"]) if last else hidden
            self.convs.append(convolution(kind, width, out, last, said))
            norm = "none" if last else said["norm"]
            self.norms.append({"none": torch.nn.Identity, "layer": torch.nn.LayerNorm, "batch": torch.nn.BatchNorm1d}[norm](out))
            if said["residual"] == "true":
                self.residuals.append(torch.nn.Linear(width, out, bias=False))

    def forward(self, x, edge_index):
        for layer, conv in enumerate(self.convs):
            made = conv(x, edge_index)
            if len(self.residuals):
                made = made + self.residuals[layer](x)
            last = layer == len(self.convs) - 1
            x = made if last else self.activation(self.norms[layer](made))
        return x


def convolution(kind, width, out, last, said):
    if kind == "gcn":
        return GCNConv(width, out)
    if kind == "sage":
        return SAGEConv(width, out)
    if kind == "gin":
        both = torch.nn.Sequential(torch.nn.Linear(width, out), torch.nn.ReLU(), torch.nn.Linear(out, out))
        return GINConv(both, eps=float(said["epsilon"]))
    heads = int(said["output-heads"] if last else said["heads"])
    conv = GATConv if kind == "gat" else GATv2Conv
    # The last layer's heads are averaged, the others' stand side by side.
    return conv(width, out if last else out // heads, heads=heads, concat=not last)


def load(file):
    with safe_open(file, "pt") as weights:
        start = "heddle.model."
        said = {key[len(start):]: value for key, value in weights.metadata().items() if key.startswith(start)}
        tensors = {key: weights.get_tensor(key) for key in weights.keys()}
    network = Network(said)
    missing, unexpected = network.load_state_dict(tensors, strict=False)
    missing = [name for name in missing if not name.endswith("num_batches_tracked")]
    if missing or unexpected:
        raise ValueError("missing %s, unexpected %s" % (missing, unexpected))
    return network.eval()


if __name__ == "__main__":
    # load_export.py model.safetensors x.npy edges.npy logits.npy
    import numpy

    features = torch.from_numpy(numpy.load(sys.argv[2]))
    edges = torch.from_numpy(numpy.load(sys.argv[3]).astype("int64"))
    with torch.no_grad():
        numpy.save(sys.argv[4], load(sys.argv[1])(features, edges).numpy())
