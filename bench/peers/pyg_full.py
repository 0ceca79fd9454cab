"""Full-graph training in PyTorch Geometric, driven over standard input: see protocol.py, README.md.

python pyg_full.py --graph DIR --model gcn|sage|gat [--form ...] [--threads 2] ...
"""

import argparse
import warnings

from protocol import WAIT_POLICIES, limit_memory, serve, with_environment

FORMS = {
    "gcn": ["reordered", "cached", "csr", "edge-index"],
    "sage": ["reordered", "cached", "csr", "edge-index"],
    "gat": ["heads", "edge-index"],
}


def arguments():
    parser = argparse.ArgumentParser(description="full-graph training in PyTorch Geometric")
    parser.add_argument("--graph", required=True, metavar="DIR")
    parser.add_argument("--model", choices=FORMS, required=True)
    parser.add_argument("--form", help="how the aggregation is computed; default: the fastest")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4, help="of gat's hidden layers")
    parser.add_argument("--dropout", type=float, default=0)
    parser.add_argument("--sparse-features", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory-limit", type=int, metavar="BYTES")
    parser.add_argument("--wait", choices=WAIT_POLICIES, default="passive")
    given = parser.parse_args()
    given.form = given.form or FORMS[given.model][0]
    if given.form not in FORMS[given.model]:
        parser.error(f"--form of {given.model} is one of {', '.join(FORMS[given.model])}")
    return given


def start(given):
    if given.memory_limit:
        limit_memory(given.memory_limit)

    import numpy
    import torch
    import torch_geometric

    import full_graph

    warnings.filterwarnings("ignore", message="Sparse")
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    epoch, parameters = full_graph.trainer(given)
    versions = {
        "torch": torch.__version__,
        "torch_geometric": torch_geometric.__version__,
        "numpy": numpy.__version__,
    }
    announced = {
        "versions": versions,
        "threads": given.threads,
        "parameters": parameters,
        "form": given.form,
    }
    return announced, epoch


if __name__ == "__main__":
    options = arguments()
    with_environment(
        {
            "OMP_WAIT_POLICY": WAIT_POLICIES[options.wait],
            "OMP_NUM_THREADS": str(options.threads),
            # torch asks for huge pages for its large tensors, as the system compared to does.
            "THP_MEM_ALLOC_ENABLE": "1",
        }
    )
    serve(lambda: start(options))
