"""How a model learns where to look when looking cannot be differentiated."""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from regard.models.vision import Glances


def reinforce(glances: Glances, labels: Int[Tensor, "batch"], *, curiosity: float = 0.01) -> Float[Tensor, ""]:
    """The loss of looking around: Williams 1992, with what the model itself had hoped for as the baseline.

    A right answer is worth 1. Glimpses that led to more than was hoped become likelier, hopes learn the truth, answers
    learn as usual; `curiosity` is the worth of chances that are spread out, against settling too early.
    """
    reward = (glances.logits.argmax(-1) == labels).to(glances.logits.dtype)[:, None]
    logs = glances.probabilities.clamp(min=torch.finfo(glances.probabilities.dtype).tiny).log()
    taken = logs.gather(-1, glances.positions[..., None]).squeeze(-1)
    surprise = (reward - glances.baselines).detach()
    entropy = -(glances.probabilities * logs).sum(-1)
    looking = -(surprise * taken + curiosity * entropy).sum(1).mean()
    hoping = (glances.baselines - reward).square().mean()
    return F.cross_entropy(glances.logits, labels) + looking + hoping
