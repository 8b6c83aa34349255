"""What arrives at the bottom of a deep stack, with a second way around every block and without one."""

import torch
from pydantic import Field
from torch import nn

from regard.viewer.learn.lesson import RANDOM, Lesson, LessonResult, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

WIDTH, TEXTS = 16, 50
CODE = """import torch
from torch import nn

def arriving(blocks, has_residual):
    torch.manual_seed({seed})
    layers = [nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16)) for _ in range(blocks)]
    x = top = torch.randn(50, 16, requires_grad=True)
    for layer in layers:
        top = top + layer(top) if has_residual else layer(top)
    (gradient,) = torch.autograd.grad(top.sum(), x)
    return (gradient.norm() / torch.ones_like(top).norm()).item()

for blocks in range(1, {blocks} + 1):
    print(blocks, arriving(blocks, True), arriving(blocks, False))
"""


class ResidualRequest(RequestModel):
    blocks: int = Field(12, ge=1, le=40)
    seed: int = Field(0, ge=0, lt=2**31)


def gradients(layers: list[nn.Sequential], x: torch.Tensor, *, has_residual: bool) -> list[float]:
    """How much of the gradient at the top arrives at the bottom, for stacks of the first layer, of two, …"""
    shares = []
    for depth in range(1, len(layers) + 1):
        top = x
        for layer in layers[:depth]:
            top = top + layer(top) if has_residual else layer(top)
        (gradient,) = torch.autograd.grad(top.sum(), x)
        shares.append(float(gradient.norm() / torch.ones_like(top).norm()))
    return shares


def compute(request: ResidualRequest, model_store: ModelStore) -> LessonResult:
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        torch.manual_seed(request.seed)
        layers = [
            nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
            for _ in range(request.blocks)
        ]
        x = torch.randn(TEXTS, WIDTH, requires_grad=True)
        shares = [gradients(layers, x, has_residual=has_residual) for has_residual in (True, False)]
    depths = [str(depth) for depth in range(1, request.blocks + 1)]
    orders = torch.tensor(shares, dtype=torch.float64).log10()
    facts = [fact("with", shares[0][-1]), fact("without", shares[1][-1])]
    return LessonResult(RANDOM, [grid("powers of ten", orders, ["with", "without"], depths)], facts)


LESSON = Lesson(ResidualRequest, compute, CODE)
