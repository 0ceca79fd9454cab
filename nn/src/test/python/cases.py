"""What the cases share: how one is declared, its seeded draws, its graph, its gradients."""

import zlib

import numpy as np
import torch

DTYPE = torch.float64
torch.set_default_dtype(DTYPE)

# Arcs (source, destination), in no order. 0 is a hub fed by nearly all, 5 and 13 are isolated, 11 only
# receives and 12 only sends; 0, 2 and 7 have a loop; 3 -> 4, 3 -> 0 and 6 -> 1 are repeated.
VERTICES = 14
ARCS = torch.tensor(
    [(6, 1), (3, 4), (0, 0), (2, 2), (9, 8), (10, 11), (3, 0), (1, 0), (2, 0), (4, 0), (6, 0)]
    + [(7, 7), (12, 0), (3, 4), (6, 1), (7, 0), (8, 0), (9, 0), (10, 0), (3, 0), (1, 2), (2, 3)]
    + [(4, 6), (8, 9), (1, 8), (6, 9), (7, 10), (0, 7), (9, 11), (6, 1), (4, 1), (10, 3)]
).t()
GRAPH = {"src": ARCS[0], "dst": ARCS[1]}

# A sampled block: its destinations 0..4 are the first of its sources 0..11. 2 receives nothing, 1 has a
# loop, 7 -> 0 is repeated.
DESTINATIONS = 5
BLOCK_ARCS = torch.tensor(
    [(7, 0), (5, 1), (1, 1), (11, 4), (0, 3), (7, 0), (8, 0), (2, 1), (9, 4), (10, 3), (6, 0), (4, 3)]
).t()
BLOCK = {"src": BLOCK_ARCS[0], "dst": BLOCK_ARCS[1], "n_dst": torch.tensor(DESTINATIONS)}

# The rows that losses and metrics are taken over.
ROWS = torch.tensor([0, 2, 3, 7, 8, 10])

CASES = []


def case(build):
    """Marks a function of (draw) that returns the tensors of the file named after it."""
    CASES.append(build)
    return build


def drawing(name):
    """Normal draws from the case's own seed: values that float32 holds exactly, in DTYPE."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    return lambda *shape: torch.from_numpy(rng.standard_normal(shape, np.float32)).to(DTYPE)


def drawn(module, draw):
    """The module with every parameter drawn: biases that start at zero would hide mistakes."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(draw(*parameter.shape) / 2)
    return module


def as_is(tensor):
    return tensor


def as_row(tensor):
    return tensor.reshape(1, -1)


def transposed(tensor):
    """A Linear's [out, in] as the files' [in, out]."""
    return tensor.t()


def with_gradients(leaves, outputs, grad_outputs=None):
    """Every leaf {name: (tensor, the form it is stored in)} and, as grad_<name>, its gradient."""
    grads = torch.autograd.grad(outputs, [leaf for leaf, _ in leaves.values()], grad_outputs)
    tensors = {}
    for (name, (leaf, form)), grad in zip(leaves.items(), grads):
        tensors[name] = form(leaf.detach().clone())
        tensors["grad_" + name] = form(grad)
    return tensors
