"""A graph as a folder of NumPy arrays.

indptr (n + 1) and indices hold the in-arcs: row v lists the sources of vertex v. Features are dense
(features, n x d) or sparse rows (feat_indptr, feat_indices, feat_data). labels has one class per
vertex, train the ids of the training vertices.
"""

import pathlib

import numpy
import torch


class Folder:
    def __init__(self, path):
        self._path = pathlib.Path(path)
        self.indptr = self._array("indptr").astype(numpy.int64)
        self.indices = self._array("indices").astype(numpy.int32)
        self.labels = torch.from_numpy(self._array("labels").astype(numpy.int64))
        self.train = torch.from_numpy(self._array("train").astype(numpy.int64))
        self.vertices = len(self.indptr) - 1
        self.classes = int(self.labels.max()) + 1

    def features(self, sparse):
        """n x d floats, or a sparse CSR tensor of them."""
        if not sparse:
            return torch.from_numpy(self._array("features").astype(numpy.float32, copy=False))
        indices = self._array("feat_indices").astype(numpy.int32)
        width = int(indices.max()) + 1
        return csr(self._array("feat_indptr"), indices, self._array("feat_data"), self.vertices, width)

    def with_self_loops(self):
        """indptr and indices with one arc from every vertex to itself, added where it is missing."""
        rows = numpy.repeat(numpy.arange(self.vertices, dtype=numpy.int32), numpy.diff(self.indptr))
        missing = numpy.ones(self.vertices, bool)
        missing[rows[rows == self.indices]] = False
        vertex = numpy.flatnonzero(missing)
        indices = numpy.insert(self.indices, self.indptr[vertex + 1], vertex)
        indptr = self.indptr.copy()
        indptr[1:] += numpy.cumsum(missing)
        return indptr, indices

    def _array(self, name):
        return numpy.load(self._path / f"{name}.npy")


def csr(indptr, indices, values, rows, columns):
    """A sparse CSR tensor with 32-bit indices, which every product here takes without a copy."""
    return torch.sparse_csr_tensor(
        torch.from_numpy(indptr.astype(numpy.int32)),
        torch.from_numpy(indices.astype(numpy.int32, copy=False)),
        torch.from_numpy(values.astype(numpy.float32, copy=False)),
        (rows, columns),
    )
