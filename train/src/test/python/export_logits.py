"""Writes what PyTorch Geometric makes of exported models: <kind>.logits.npy beside each <kind>.safetensors.

    python export_logits.py ../resources/export

The models <kind>.model.safetensors there were trained on graph/ by `heddle train --directed --order original`, and exported by `heddle export`.
"""

import glob
import os
import sys

import numpy
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../../docs/guide"))
from load_export import load

folder = sys.argv[1]
features = torch.from_numpy(numpy.load(os.path.join(folder, "graph/features.npy")))
edges = numpy.loadtxt(os.path.join(folder, "graph/edges.csv"), delimiter=",", skiprows=1).T.astype("int64")
for kind in ("gcn", "sage", "gat", "gatv2", "gin"):
    with torch.no_grad():
        logits = load(os.path.join(folder, kind + ".safetensors"))(features, torch.from_numpy(edges))
    numpy.save(os.path.join(folder, kind + ".logits.npy"), logits.numpy())
