"""Muon turns what a matrix learned into equal steps in all directions; everything else is Adam's."""

import pytest
import torch
from torch import nn

from regard.training.optimisation.muon import Muon, is_matrix, orthogonal


def optimiser(weights, **settings):
    return Muon([{"params": list(weights), "weight_decay": settings.pop("weight_decay", 0.0)}], lr=0.01, **settings)


@pytest.mark.parametrize("shape", [(3, 24, 24), (2, 16, 48), (2, 48, 16)])
def test_directions_become_equally_long_and_stay_where_they_pointed(shape):
    matrices = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    left, sizes, right = torch.linalg.svd(matrices, full_matrices=False)
    turned = torch.linalg.svdvals(orthogonal(matrices))
    assert sizes.max() / sizes.min() > 2
    assert turned.min() > 0.6
    assert turned.max() < 1.3
    parts = left.mT @ orthogonal(matrices) @ right.mT
    torch.testing.assert_close(parts, torch.diag_embed(parts.diagonal(dim1=-2, dim2=-1)), atol=1e-4, rtol=0)


@pytest.mark.parametrize("shape", [(32, 32), (16, 64), (64, 16)])
def test_a_matrix_steps_as_with_torchs_own_to_its_bfloat16(shape):
    draw = torch.Generator().manual_seed(2)
    ours, theirs = (nn.Parameter(torch.ones(shape)) for _ in range(2))
    mine = optimiser([ours], weight_decay=0.1)
    other = torch.optim.Muon([theirs], lr=0.01, weight_decay=0.1, momentum=0.95, adjust_lr_fn="match_rms_adamw")
    for _ in range(3):
        ours.grad = torch.randn(shape, generator=draw)
        theirs.grad = ours.grad.clone()
        mine.step()
        other.step()
    moved = (theirs.detach() - 1).abs().mean()
    assert (ours - theirs).abs().mean() < 0.02 * moved


def test_tables_and_vectors_step_as_with_adam():
    draw = torch.Generator().manual_seed(3)
    ours = [nn.Parameter(torch.zeros(100, 4)), nn.Parameter(torch.zeros(7))]
    theirs = [nn.Parameter(torch.zeros(100, 4)), nn.Parameter(torch.zeros(7))]
    assert not any(map(is_matrix, ours))
    mine = optimiser(ours)
    other = torch.optim.Adam(theirs, lr=0.01, betas=(0.9, 0.98), eps=1e-9)
    for _ in range(3):
        for one, another in zip(ours, theirs, strict=True):
            one.grad = torch.randn(one.shape, generator=draw)
            another.grad = one.grad.clone()
        mine.step()
        other.step()
    for one, another in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, another)
