"""Sampled GraphSAGE in PyTorch Geometric, driven over standard input: see protocol.py, README.md.

python pyg_sampled.py --graph DIR --library sample.so [--batch 1024] [--fanout 15,10,5] ...
"""

import argparse
import warnings

from protocol import WAIT_POLICIES, serve, with_environment


def arguments():
    parser = argparse.ArgumentParser(description="sampled GraphSAGE in PyTorch Geometric")
    parser.add_argument("--graph", required=True, metavar="DIR")
    parser.add_argument("--library", required=True, help="sample.c, compiled")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--fanout", default="15,10,5")
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--sparse-features", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wait", choices=WAIT_POLICIES, default="passive")
    return parser.parse_args()


def start(given):
    import torch
    import torch_geometric

    import sampled

    warnings.filterwarnings("ignore", message="Sparse")
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    epochs = sampled.Epochs(given)
    versions = {"torch": torch.__version__, "torch_geometric": torch_geometric.__version__}
    announced = {
        "versions": versions,
        "threads": given.threads,
        "parameters": epochs.parameters(),
        "form": "per-layer CSR",
    }
    return announced, epochs


if __name__ == "__main__":
    options = arguments()
    with_environment(
        {
            "OMP_WAIT_POLICY": WAIT_POLICIES[options.wait],
            "OMP_NUM_THREADS": str(options.threads),
            "THP_MEM_ALLOC_ENABLE": "1",
        }
    )
    serve(lambda: start(options))
