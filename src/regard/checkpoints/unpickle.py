"""A process of its own that opens pickles: `python -P -m regard.checkpoints.unpickle OUT.safetensors IN.bin...`"""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from regard.checkpoints.files import first_line


def unpickle(target: Path, pickles: list[Path]) -> None:
    """Read tensors by name, and nothing else, and write them as safetensors."""
    tensors: dict[str, Tensor] = {}
    for path in pickles:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
        if not isinstance(loaded, dict) or not all(isinstance(name, str) for name in loaded):
            raise ValueError(f"{path.name}: tensors by name expected, got {type(loaded).__name__}")
        for name, tensor in loaded.items():
            if not isinstance(tensor, Tensor):
                raise ValueError(f"{path.name}: {name} is no tensor but {type(tensor).__name__}")
            if name in tensors:
                raise ValueError(f"{path.name}: {name} was in another file already")
            tensors[name] = tensor.detach().clone(memory_format=torch.contiguous_format)
    save_file(tensors, target, metadata={"format": "pt"})


def main() -> None:
    try:
        unpickle(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
    except Exception as problem:  # one line for the process that waits
        sys.exit(first_line(problem))


if __name__ == "__main__":
    main()
