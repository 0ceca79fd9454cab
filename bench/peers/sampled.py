"""Batches of a graph and one epoch over them: sample, fetch features, forward, loss, backward, Adam.

The sampler is NeighborLoader's algorithm: every hop, the vertices found in the hop before draw their
neighbours, and all layers share what was drawn. Rows are in the order they were found, so that the
arcs of every layer are the first rows of one CSR matrix: the layers' blocks cost nothing to make.
"""

import ctypes
import time

import numpy
import torch
import torch.nn.functional as F
from torch_geometric.nn import SAGEConv

from folder import Folder

POINTER = ctypes.c_void_p


class Sampler:
    """Neighbour sampling by the C library beside this file."""

    def __init__(self, library, folder, fanouts, batch):
        self.c = ctypes.CDLL(library)
        self.c.seed.argtypes = [ctypes.c_uint64]
        self.c.hop.restype = ctypes.c_int32
        self.c.hop.argtypes = [POINTER, POINTER] + [ctypes.c_int32] * 3 + [POINTER] * 4
        self.c.forget.argtypes = [POINTER, ctypes.c_int32, POINTER]
        self.indptr = folder.indptr.astype(numpy.int64)
        self.indices = folder.indices.astype(numpy.int32)
        self.fanouts = fanouts
        rows, arcs, found = batch, 0, batch
        for fanout in fanouts:
            arcs += found * fanout
            found *= fanout
            rows += found
        self.nodes = numpy.empty(min(rows, folder.vertices + batch), numpy.int32)
        self.pointer = numpy.zeros(len(self.nodes) + 1, numpy.int32)
        self.column = numpy.empty(arcs, numpy.int32)
        self.row_of = numpy.full(folder.vertices, -1, numpy.int32)
        self.c.seed(1)

    def sample(self, seeds):
        """Vertices, rows at each depth, and pointer and column of all arcs."""
        counts = [0, len(seeds)]
        self.nodes[: len(seeds)] = seeds
        self.row_of[seeds] = numpy.arange(len(seeds), dtype=numpy.int32)
        for fanout in self.fanouts:
            arguments = (self.indptr, self.indices, fanout, *counts[-2:], self.nodes)
            arguments += (self.row_of, self.pointer, self.column)
            addresses = [a.ctypes.data if isinstance(a, numpy.ndarray) else a for a in arguments]
            counts.append(self.c.hop(*addresses))
        nodes = self.nodes[: counts[-1]].copy()
        self.c.forget(nodes.ctypes.data, len(nodes), self.row_of.ctypes.data)
        expanded = counts[-2]
        pointer = self.pointer[: expanded + 1].copy()
        return nodes, counts[1:], pointer, self.column[: pointer[-1]].copy()


class Epochs:
    def __init__(self, given):
        folder = Folder(given.graph)
        self.x = folder.features(False) if not given.sparse_features else dense(folder)
        self.labels = folder.labels
        self.seeds = numpy.load(f"{given.graph}/seeds.npy").astype(numpy.int32)
        self.batch = given.batch
        fanouts = [int(f) for f in given.fanout.split(",")]
        self.sampler = Sampler(given.library, folder, fanouts, given.batch)
        widths = [self.x.shape[1]] + [given.hidden] * (len(fanouts) - 1) + [folder.classes]
        self.layers = torch.nn.ModuleList(
            SAGEConv(widths[i], widths[i + 1]) for i in range(len(fanouts))
        )
        self.optimizer = torch.optim.Adam(self.layers.parameters(), lr=0.01)
        self.random = numpy.random.default_rng(1)
        self.stages = {"sample": 0.0, "fetch": 0.0, "compute": 0.0}
        self.arcs = 0

    def parameters(self):
        return sum(p.numel() for p in self.layers.parameters())

    def __call__(self):
        order = self.random.permutation(self.seeds)
        total = 0.0
        for start in range(0, len(order), self.batch):
            seeds = order[start : start + self.batch]
            total += self.step(seeds) * len(seeds)
        return total / len(order)

    def step(self, seeds):
        t0 = time.perf_counter()
        nodes, rows, pointer, column = self.sampler.sample(seeds)
        t1 = time.perf_counter()
        x = self.x[torch.from_numpy(nodes).long()]
        y = self.labels[torch.from_numpy(seeds).long()]
        t2 = time.perf_counter()
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.forward(x, rows, pointer, column), y)
        loss.backward()
        self.optimizer.step()
        value = loss.item()
        t3 = time.perf_counter()
        self.stages["sample"] += t1 - t0
        self.stages["fetch"] += t2 - t1
        self.stages["compute"] += t3 - t2
        self.arcs += len(column)
        return value

    def forward(self, x, rows, pointer, column):
        pointer, column = torch.from_numpy(pointer), torch.from_numpy(column)
        ones = torch.ones(len(column))
        for i, layer in enumerate(self.layers):
            sources, targets = rows[len(self.layers) - i], rows[len(self.layers) - i - 1]
            arcs = int(pointer[targets])
            block = torch.sparse_csr_tensor(
                pointer[: targets + 1], column[:arcs], ones[:arcs], (targets, sources)
            )
            x = layer((x, x[:targets]), block)
            if i < len(self.layers) - 1:
                x = F.relu_(x)
        return x

    def report(self):
        """Stage seconds and arcs since the last report."""
        told = {"stages": self.stages, "arcs": self.arcs}
        self.stages = dict.fromkeys(self.stages, 0.0)
        self.arcs = 0
        return told


def dense(folder):
    """Sparse features in full, as a loader hands them out."""
    return folder.features(True).to_dense()
