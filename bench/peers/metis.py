"""METIS, by pymetis, as a peer: partitions one graph again and again.

The graph is a file of little-endian int32: vertices, arcs, vertices + 1 offsets, arcs ids; undirected,
without loops or repetitions. Commands are `partition PARTS SEED rb|kway`; the time is that of the call.
"""

import argparse
import sys
import time

import numpy as np
import protocol


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graph", required=True)
    data = np.fromfile(parser.parse_args().graph, dtype="<i4")
    try:
        import pymetis
    except ImportError as e:
        protocol.answer({"failed": str(e)})
        sys.exit(1)
    vertices = int(data[0])
    offsets, ids = data[2 : vertices + 3].copy(), data[vertices + 3 :].copy()
    adjacency = pymetis.CSRAdjacency(offsets, ids)
    protocol.answer({"ready": True, "version": pymetis.version})
    for line in sys.stdin:
        words = line.split()
        if len(words) != 4:
            return
        parts, seed, mode = int(words[1]), int(words[2]), words[3]
        start = time.perf_counter()
        cut, part = pymetis.part_graph(
            parts, adjacency=adjacency, recursive=mode == "rb", options=pymetis.Options(seed=seed)
        )
        seconds = time.perf_counter() - start
        part = np.asarray(part)
        sizes = np.bincount(part, minlength=parts)
        arcs = np.bincount(part, weights=np.diff(offsets), minlength=parts)
        protocol.answer(
            {
                "seconds": seconds,
                "cut": int(cut),
                "vertices": float(sizes.max() / sizes.mean()),
                "arcs": float(arcs.max() / arcs.mean()),
            }
        )


main()
