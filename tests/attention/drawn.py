"""Calls of attend() for hypothesis to draw, each with its meaning in plain torch."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pytest
import torch
from attention.plain import BIAS_EXAMPLES, MASK_EXAMPLES, NORMALISER_EXAMPLES, BiasExample, Sizes, leaf, softmax
from attention.plain_scores import SCORE_EXAMPLES, ScoreExample
from hypothesis import strategies as st
from torch import Tensor

from regard.attention import Mask, Normaliser, Pattern, Softmax, tiles

Plainly = Callable[[Tensor], Tensor]


@dataclass
class Case:
    """One call of attend(), and what its definition makes of it in float64."""

    sizes: Sizes
    score: ScoreExample
    bias: BiasExample | None = None
    mask: Mask | None = None
    allowed: Tensor = field(default_factory=lambda: torch.ones(1, 1, 1, 1, dtype=torch.bool))
    normaliser: Normaliser = Softmax()
    plain: Plainly = softmax

    def __post_init__(self) -> None:
        batch, heads, groups, queries, keys, width, value_width = self.sizes
        self.query = leaf(batch, heads, queries, width)
        self.key, self.value = leaf(batch, groups, keys, width), leaf(batch, groups, keys, value_width)

    @property
    def told(self) -> dict[str, Any]:
        """What attend() and Pattern are told beside query, key and value."""
        bias = self.bias and self.bias.bias
        return {"score": self.score.score, "bias": bias, "mask": self.mask, "normaliser": self.normaliser}

    @property
    def heads(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.query, self.key, self.value

    @property
    def leaves(self) -> list[Tensor]:
        """Everything that gets a gradient."""
        learned = self.score.learned + (self.bias.learned if self.bias else [])
        return [*self.heads, *(tensor for tensor in learned if tensor.requires_grad)]

    @cached_property
    def pattern(self) -> Pattern:
        return Pattern(self.query, self.key, value=self.value, **self.told)

    def shared(self, tensor: Tensor) -> Tensor:
        """One key or value head per query head, in float64."""
        return tensor.double().repeat_interleave(self.sizes.heads // self.sizes.groups, 1)

    def scores(self) -> Tensor:
        """With the bias, and -inf where the mask forbids."""
        scores = self.score.plain(self.query.double(), self.shared(self.key))
        if self.bias is not None:
            scores = scores + self.bias.plain().double()
        return scores.masked_fill(~self.allowed, -torch.inf)

    def weights(self) -> Tensor:
        return self.plain(self.scores())

    def gathered(self) -> Tensor:
        return self.weights() @ self.shared(self.value)


@dataclass(frozen=True)
class Recipe:
    """Plain data that a Case is made of; a failing test prints it."""

    seed: int
    sizes: Sizes
    masks: tuple[tuple[str, str], ...] = ()  # (how it is joined, its name), "~" before a name that is turned round
    score: str = "dot"
    bias: str | None = None
    learns: bool = True
    normaliser: str = "softmax"

    def __call__(self) -> Case:
        torch.manual_seed(self.seed)
        score = SCORE_EXAMPLES[self.score](self.sizes)
        bias = BIAS_EXAMPLES[self.bias](self.sizes) if self.bias else None
        for tensor in bias.learned if bias else ():
            tensor.requires_grad_(self.learns)
        return Case(self.sizes, score, bias, *self.mask(), *NORMALISER_EXAMPLES[self.normaliser])

    def mask(self) -> tuple[Mask | None, Tensor]:
        mask, allowed = None, torch.ones(1, 1, 1, 1, dtype=torch.bool)
        for how, name in self.masks:
            other, grid = MASK_EXAMPLES[name.lstrip("~")](self.sizes)
            if name.startswith("~"):
                other, grid = ~other, ~grid
            if mask is None:
                mask, allowed = other, grid
            elif how == "&":
                mask, allowed = mask & other, allowed & grid
            else:
                mask, allowed = mask | other, allowed | grid
        return mask, allowed


@st.composite
def some_sizes(draw: st.DrawFn, most: int = 9) -> Sizes:
    """Heads in groups, queries fewer or more than keys, values of another width."""
    groups, shared = draw(st.sampled_from([(1, 1), (2, 1), (3, 1), (1, 4), (2, 2), (2, 3)]))
    keys = draw(st.integers(1, most))
    queries = draw(st.one_of(st.just(keys), st.integers(1, most)))
    width, value_width = draw(st.sampled_from([(4, 4), (3, 5), (5, 2)]))
    return Sizes(draw(st.integers(1, 3)), groups * shared, groups, queries, keys, width, value_width)


@st.composite
def some_masks(draw: st.DrawFn, sizes: Sizes) -> tuple[tuple[str, str], ...]:
    """Up to three masks, each perhaps turned round, joined by and or or."""
    names = [name for name in MASK_EXAMPLES if name != "graph" or sizes.queries <= sizes.keys]
    names = [*names, *names, *(f"~{name}" for name in names)]
    return tuple(draw(st.lists(st.tuples(st.sampled_from("&|"), st.sampled_from(names)), max_size=3)))


@st.composite
def cases(draw: st.DrawFn, normalisers: tuple[str, ...] = ("softmax", "softmax", "none", "hard")) -> Recipe:
    """Any call at all."""
    sizes = draw(some_sizes())
    seed, masks, score = draw(st.integers(0, 999)), draw(some_masks(sizes)), draw(st.sampled_from([*SCORE_EXAMPLES]))
    if score == "kernel":  # divided by its sum, which a bias could bring near 0
        return Recipe(seed, sizes, masks, score, normaliser="sum")
    bias = draw(st.sampled_from([None, *BIAS_EXAMPLES]))
    return Recipe(seed, sizes, masks, score, bias, draw(st.booleans()), draw(st.sampled_from(normalisers)))


@st.composite
def fused_cases(draw: st.DrawFn) -> Recipe:
    """Calls that the fused kernel answers: softmax of dot products, any mask, a bias that does not learn."""
    sizes = draw(some_sizes())
    masks, bias = draw(some_masks(sizes)), draw(st.sampled_from([None, None, *BIAS_EXAMPLES]))
    return Recipe(draw(st.integers(0, 999)), sizes, masks, bias=bias, learns=False)


budgets = st.sampled_from([1, 6, 20, 64, 200, 1 << 20])
"""Numbers in a block: from a row at a time to everything at once."""


@contextmanager
def blocks_of(budget: int, rows: int = 2, strip: int = 3) -> Iterator[None]:
    """Work is cut into blocks of so many numbers, so that small calls are as divided as large ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiles, "BUDGET", budget)
        patch.setattr(tiles, "ROWS", rows)
        patch.setattr(tiles, "STRIP", strip)
        yield


def gradients(answer: Tensor, leaves: list[Tensor], toward: Tensor) -> list[Tensor]:
    found = torch.autograd.grad(answer, leaves, toward.to(answer.dtype), allow_unused=True)
    return [torch.zeros_like(leaf) if grad is None else grad for grad, leaf in zip(found, leaves, strict=True)]
