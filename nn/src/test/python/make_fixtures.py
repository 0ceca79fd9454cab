"""Makes the reference values that the tests of layers, losses, optimisers and metrics compare with.

    pip install torch==2.13.0 torch_geometric==2.8.0.post1 safetensors numpy
    python nn/src/test/python/make_fixtures.py

Writes nn/src/test/resources/fixtures: a <case>.safetensors for each function that layer_cases.py,
model_cases.py and training_cases.py mark with @case, and a README.md from their docstrings. Inputs are
drawn in float32 from a seed of the case's name; everything is computed from them in float64 by torch and
PyTorch Geometric and rounded to float32 once, so a stored value is exact to float32. Two runs give the
same bytes.
"""

import json
from pathlib import Path

import safetensors.torch
import torch
import torch_geometric

import layer_cases  # noqa: F401 (declares its cases)
import model_cases  # noqa: F401 (declares its cases)
import training_cases  # noqa: F401 (declares its cases)
from cases import CASES, drawing

OUT = Path(__file__).parents[1] / "resources" / "fixtures"
VERSIONS = {"torch": torch.__version__, "torch_geometric": torch_geometric.__version__}


def stored(tensor):
    """float32 or int32, in row order; a scalar as one element."""
    kept = torch.float32 if tensor.is_floating_point() else torch.int32
    return tensor.detach().to(kept).reshape(tensor.shape or (1,)).contiguous()


def write(path, tensors, metadata):
    """A safetensors file with its header's keys sorted: the library leaves the metadata in any order."""
    data = safetensors.torch.save(tensors, metadata)
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    path.write_bytes(len(header).to_bytes(8, "little") + header + data[end:])


README = """# Reference values

Made by `nn/src/test/python/make_fixtures.py` with torch {torch} and torch_geometric
{torch_geometric}; run it again rather than edit. A file's metadata holds these versions and, as
`about`, its meaning.

- Numbers are float32 or int32. Inputs and parameters are exact; results were computed from them in
  float64 and rounded once.
- `src` and `dst` are the arcs, in no order: arc i carries a message from `src[i]` to `dst[i]`. The
  graph of 14 vertices has a hub, isolated vertices, loops (one a vertex at most) and repeated arcs.
- Weight matrices are [in, out]: out = x w. A vector of parameters is a matrix of one row.
- `grad_out` is the gradient given to `out`; `grad_<name>` is the gradient of x or of a parameter
  then, or where there is a `loss`, that of the loss.
- Parameters of a `model_…` have the names that `Model.create` gives them.
- `rows` are the rows that a loss or a metric is taken over.

| case | meaning | tensors |
|---|---|---|
"""


def main():
    torch.set_num_threads(1)
    OUT.mkdir(parents=True, exist_ok=True)
    readme = README.format(**VERSIONS)
    for build in CASES:
        name, about = build.__name__, " ".join(build.__doc__.split())
        tensors = {key: stored(tensor) for key, tensor in build(drawing(name)).items()}
        write(OUT / f"{name}.safetensors", tensors, {**VERSIONS, "about": about})
        shapes = (f"{key} [{', '.join(map(str, t.shape))}]" for key, t in tensors.items())
        readme += f"| `{name}` | {about} | {', '.join(shapes)} |\n"
    (OUT / "README.md").write_text(readme)


if __name__ == "__main__":
    main()
