"""Numbers left out at random while a model learns."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

CHANCES = 1 << 16  # one draw of 64 bits decides about four numbers, each with 16


class Dropout(nn.Dropout):
    """Srivastava et al. 2014. On a processor drawing is most of the work, so that a draw serves four numbers there."""

    def forward(self, input: Tensor) -> Tensor:
        if not self.training or not self.p:
            return input
        if input.device.type != "cpu" or torch.compiler.is_compiling() or self.p >= 1:
            return F.dropout(input, self.p)
        return (input * dropout_factors(input, self.p)).to(input.dtype)


def dropout_factors(x: Tensor, p: float) -> Tensor:
    """0 where a number is left out, and what makes up for that where it stays."""
    least = round(p * CHANCES)
    draws = torch.empty((x.numel() + 3) // 4, dtype=torch.int64).random_(-(1 << 63), None)
    lanes = draws.view(torch.int16)[: x.numel()].view(x.shape)
    stays = torch.empty(x.shape, dtype=torch.promote_types(x.dtype, torch.float32))
    torch.ge(lanes, least - CHANCES // 2, out=stays)
    return stays.mul_(CHANCES / (CHANCES - least))
