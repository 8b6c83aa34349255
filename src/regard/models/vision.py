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
"""Pictures of one number a pixel may leave the channels out."""
Planes = Float[Tensor, "batch channels size size"]


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
        x = self.pieces(cut(images, self.config.size, self.config.patch, self.config.channels))
        if self.token is not None:
            x = torch.cat([self.token.expand(len(x), 1, -1), x], 1)
        return self.encoder(x if self.positions is None else x + self.positions)


def cut(images: Images, size: int, patch: int, channels: int = 1) -> Float[Tensor, "batch pieces numbers"]:
    """The squares of a picture, row by row; in each one channel after the other."""
    return F.unfold(planes(images, size, channels), patch, stride=patch).mT


def planes(images: Images, size: int, channels: int) -> Planes:
    """Pictures with their channels, once they are as large as expected."""
    if images.ndim == 3 and channels > 1:
        raise ShapeError(f"images of {channels} channels are (batch, {channels}, {size}, {size}), got no channels")
    pictures = images[:, None] if images.ndim == 3 else images
    expect("images", "channels", pictures.shape[1], channels)
    expect("images", "pixels a side", pictures.shape[2], size)
    return pictures


def surroundings(images: Planes, patch: int, scale: int) -> Float[Tensor, "batch positions numbers"]:
    """What there is to see around every pixel: a square of patch x patch means, each of scale x scale pixels (odd).

    Around the picture is nothing: zeros.
    """
    reach = scale * (patch // 2) + scale // 2
    means = F.avg_pool2d(F.pad(images, [reach] * 4), scale, stride=1)
    return F.unfold(means, patch, dilation=scale).mT


class Glances(NamedTuple):
    """What came of looking around: the answer, where each glimpse went, how likely that was, what was hoped for.

    Positions are counted row by row, those of the first scale before those of the next.
    """

    logits: Float[Tensor, "batch labels"]
    positions: Int[Tensor, "batch glimpses"]
    probabilities: Float[Tensor, "batch glimpses positions"]
    baselines: Float[Tensor, "batch glimpses"]


class GlimpseNetwork(nn.Module):
    """Sees a small square at a time, and decides where to look next: Mnih et al. 2014, hard attention.

    What it has seen so far asks, every position of the picture answers, and the weights are the chances with which the
    position is drawn; without a generator the likeliest is taken. The next glimpse is all that it gets to see. Where
    there are several scales every position answers once for each: a wide look sees more, and sees it blurred.
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
        self.keys = nn.Parameter(0.1 * torch.randn(config.looks, config.width))
        self.look = MemoryHop()
        self.patch = Linear(config.channels * config.patch**2, config.width)
        self.position = nn.Embedding(config.looks, config.width)
        self.cell = nn.GRUCell(config.width, config.width)
        self.baseline = Linear(config.width, 1)
        self.classify = Linear(config.width, config.labels)

    def forward(self, images: Images) -> Float[Tensor, "batch labels"]:
        """A score for every label, after looking where it is likeliest to look."""
        return self.glances(images).logits

    def glances(self, images: Images, generator: torch.Generator | None = None) -> Glances:
        """Look around; with a generator, at positions drawn by their chances."""
        seen = planes(images, self.config.size, self.config.channels)
        around = torch.cat(
            [surroundings(seen, self.config.patch, 3**scale) for scale in range(self.config.scales)], dim=1
        )
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
        count = self.config.looks
        key = self.keys.expand(len(state), 1, -1, -1)
        positions = torch.eye(count, dtype=state.dtype, device=state.device).expand(len(state), 1, -1, -1)
        return self.look(self.query(state)[:, None, None], key, positions)[:, 0, 0]


def draw(probabilities: Float[Tensor, "batch positions"], generator: torch.Generator) -> Int[Tensor, "batch"]:
    return torch.multinomial(probabilities.detach(), 1, generator=generator).squeeze(-1)
