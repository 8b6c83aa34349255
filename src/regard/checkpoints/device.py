"""Where a model runs."""

import torch

from regard.errors import UnknownName


def check_device(name: str | None) -> str:
    """A device that there is and that computes; the processor where none is named."""
    device = "cpu" if name is None else name
    try:
        torch.ones(1, device=device).sum().item()
        return device
    except Exception as problem:  # of as many kinds as there are devices: not built in, not there, not a name
        reason = str(problem).partition("\n")[0].partition(". ")[0]
    raise UnknownName(f"no device {name!r} here: {reason}")
