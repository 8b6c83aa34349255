"""Many feed-forward layers, of which each token is sent to a few."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from regard.layers.feedforward import FeedForward
from regard.layers.linear import Linear
from regard.shapes import Stream


class MixtureOfExperts(nn.Module):
    """A router scores every expert, and the best few of them add what they make of a token, by their share of the
    probability: Shazeer et al. 2017; Jiang et al. 2024, 2.1."""

    router: Linear
    experts: nn.ModuleList
    experts_per_token: int

    def __init__(self, width: int, expert: Callable[[], FeedForward], experts: int, experts_per_token: int = 2) -> None:
        super().__init__()
        self.router = Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(expert() for _ in range(experts))
        self.experts_per_token = experts_per_token

    def forward(self, x: Stream) -> Stream:
        tokens = x.flatten(0, 1)
        share, chosen = self.route(tokens)
        output = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            token, place = torch.where(chosen == number)
            if len(token):
                made = expert(tokens[token][None])[0]
                output = output.index_add(0, token, made * share[token, place, None].to(made.dtype))
        return output.view_as(x)

    def route(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """The experts that each token goes to, and by how much each of them counts: (tokens, experts per token)."""
        probability, chosen = self.router(tokens).float().softmax(-1).topk(self.experts_per_token, -1)
        return probability / probability.sum(-1, keepdim=True), chosen
