"""A norm with its scale frozen, so that it is linear: what is added up before it is added up after it."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.looking.activations.site import unhooked

CLOSE = 1e-4
EPSILONS = ("eps", "variance_epsilon", "epsilon")


@dataclass(frozen=True, eq=False)
class FrozenNorm:
    """y = gain * (x - mean(x), if it centres) / scale + bias, with the scale that it had of one x."""

    gain: Tensor  # gain over scale: (batch, length, width)
    bias: Tensor | None
    centres: bool

    def __call__(self, term: Tensor) -> Tensor:
        """What a term of the sum becomes; the bias is a term of its own."""
        return (term - term.mean(-1, keepdim=True) if self.centres else term) * self.gain

    @staticmethod
    def of(norm: nn.Module, x: Tensor) -> "FrozenNorm":
        """A norm at x: whichever of the known forms gives what it gives."""
        weight, bias = getattr(norm, "weight", None), getattr(norm, "bias", None)
        expected = unhooked(norm, x)
        eps = next((float(getattr(norm, name)) for name in EPSILONS if hasattr(norm, name)), 0.0)
        gains = [torch.ones_like(x[..., :1])] if weight is None else [weight, 1 + weight]
        for centres in (True, False):
            centred = x - x.mean(-1, keepdim=True) if centres else x
            scale = (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
            for gain in gains:
                y = centred * scale * gain
                y = y if bias is None else y + bias
                if (y - expected).abs().max() <= CLOSE * expected.abs().max().clamp(min=1):
                    return FrozenNorm(scale * gain, bias, centres)
        raise RegardError(f"{type(norm).__name__} is no norm that is known: LayerNorm or RMSNorm expected")
