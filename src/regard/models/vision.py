"""Looks at a picture: all of its pieces at once, or one after the other."""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.config import GlimpseConfig, VisionConfig
from regard.errors import ShapeError, expect
from regard.layers import ClassificationHead, Stack
from regard.layers.linear import Linear
from regard.layers.memory_hop import MemoryHop
from regard.models.parts import build_stack
from regard.shapes import Stream

Images = Float[Tensor, "batch size size"] | Float[Tensor, "batch channels size size"]


class VisionTransformer(nn.Module):
    """Pieces of a picture are its words: Dosovitskiy et al. 2021. Pieces of one pixel, without positions, are a set."""

    config: VisionConfig
    pieces: Linear
    token: nn.Parameter | None
    positions: nn.Parameter | None
    encoder: Stack
    classify: ClassificationHead

    def __init__(self, config: VisionConfig) -> None:
        super().__init__()
        self.config = config
        has_token = config.pool == "first"
        self.pieces = Linear(config.channels * config.patch**2, config.width)
        self.token = nn.Parameter(0.02 * torch.randn(config.width)) if has_token else None
        shape = (config.pieces + has_token, config.width)
        self.positions = nn.Parameter(0.02 * torch.randn(*shape)) if config.has_positions else None
        self.encoder = build_stack(config.stack)
        self.classify = ClassificationHead(config.width, config.labels, pool=config.pool)

    def forward(self, images: Images) -> Float[Tensor, "batch labels"]:
        """A score for every label."""
        return self.classify(self.hidden(images))

    def hidden(self, images: Images) -> Stream:
        """A vector for every piece, row by row, that of the class token first."""
        expect("images", "channels", images.shape[1] if images.ndim == 4 else 1, self.config.channels)
        x = self.pieces(cut(images, self.config.size, self.config.patch))
        if self.token is not None:
            x = torch.cat([self.token.expand(len(x), 1, -1), x], 1)
        return self.encoder(x if self.positions is None else x + self.positions)


def cut(images: Images, size: int, patch: int) -> Float[Tensor, "batch pieces pixels"]:
    """The squares of a picture, row by row; in each, one channel after the other."""
    expect("images", "pixels a side", images.shape[-1], size)
    return F.unfold(images if images.ndim == 4 else images[:, None], patch, stride=patch).mT


class Glances(NamedTuple):
    """What came of looking around: the answer, where each glimpse went, how likely that was, what was hoped for."""

    logits: Float[Tensor, "batch labels"]
    positions: Int[Tensor, "batch glimpses"]
    probabilities: Float[Tensor, "batch glimpses positions"]
    baselines: Float[Tensor, "batch glimpses"]


class GlimpseNetwork(nn.Module):
    """Sees a small square at a time, and decides where to look next: Mnih et al. 2014, hard attention.

    What it has seen so far asks, every position of the picture answers, and the weights are the chances with which the
    position is drawn; without a generator the likeliest is taken. The next glimpse is all that it gets to see.
    """

    config: GlimpseConfig
    initial_state: nn.Parameter
    query: Linear
    keys: nn.Parameter
    look: MemoryHop
    patch: Linear
    position: nn.Embedding
    cell: nn.GRUCell
    baseline: Linear
    classify: Linear

    def __init__(self, config: GlimpseConfig) -> None:
        super().__init__()
        if config.patch % 2 == 0:
            raise ShapeError(f"a glimpse has a pixel in its middle: an odd patch expected, got {config.patch}")
        self.config = config
        self.initial_state = nn.Parameter(torch.zeros(config.width))
        self.query = Linear(config.width, config.width)
        self.keys = nn.Parameter(0.1 * torch.randn(config.size**2, config.width))
        self.look = MemoryHop()
        self.patch = Linear(config.patch**2, config.width)
        self.position = nn.Embedding(config.size**2, config.width)
        self.cell = nn.GRUCell(config.width, config.width)
        self.baseline = Linear(config.width, 1)
        self.classify = Linear(config.width, config.labels)

    def forward(self, images: Images) -> Float[Tensor, "batch labels"]:
        """A score for every label, after looking where it is likeliest to look."""
        return self.glances(images).logits

    def glances(self, images: Images, generator: torch.Generator | None = None) -> Glances:
        """Look around; with a generator, at positions drawn by their chances."""
        expect("images", "pixels a side", images.shape[1], self.config.size)
        around = F.unfold(images[:, None], self.config.patch, padding=self.config.patch // 2).mT
        rows = torch.arange(len(images), device=images.device)
        state, positions, probabilities, baselines = self.initial_state.expand(len(images), -1), [], [], []
        for _ in range(self.config.glimpses):
            probability = self.policy(state)
            position = probability.argmax(-1) if generator is None else draw(probability, generator)
            baselines.append(self.baseline(state.detach()).squeeze(-1))
            state = self.cell(torch.relu(self.patch(around[rows, position]) + self.position(position)), state)
            positions.append(position)
            probabilities.append(probability)
        logits = self.classify(state)
        return Glances(logits, torch.stack(positions, 1), torch.stack(probabilities, 1), torch.stack(baselines, 1))

    def policy(self, state: Float[Tensor, "batch width"]) -> Float[Tensor, "batch positions"]:
        """The chance of every position to be looked at next: attention whose values are the positions themselves."""
        count = self.config.size**2
        key = self.keys.expand(len(state), 1, -1, -1)
        positions = torch.eye(count, dtype=state.dtype, device=state.device).expand(len(state), 1, -1, -1)
        return self.look(self.query(state)[:, None, None], key, positions)[:, 0, 0]


def draw(probabilities: Float[Tensor, "batch positions"], generator: torch.Generator) -> Int[Tensor, "batch"]:
    return torch.multinomial(probabilities.detach(), 1, generator=generator).squeeze(-1)
