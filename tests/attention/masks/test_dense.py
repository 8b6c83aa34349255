import pytest
import torch

from regard.attention import DenseMask
from regard.errors import ShapeError


def test_batch_and_heads_may_be_left_out():
    allowed = torch.rand(2, 3, 4, 5) < 0.5
    assert torch.equal(DenseMask(allowed).grid(4, 5), allowed)
    assert torch.equal(DenseMask(allowed[:, 0]).grid(4, 5), allowed[:, :1])
    assert torch.equal(DenseMask(allowed[0, 0]).grid(4, 5), allowed[:1, :1])


def test_one_row_stands_for_all_of_them():
    allowed = torch.tensor([[True, False, True]])
    assert torch.equal(DenseMask(allowed).grid(4, 3)[0, 0], allowed.expand(4, 3))


@pytest.mark.parametrize("shape", [(3,), (1, 1, 1, 2, 3)])
def test_other_ranks_are_refused(shape):
    told = r"DenseMask takes \(queries, keys\), \(batch, queries, keys\) or \(batch, heads, queries, keys\), got \("
    with pytest.raises(ShapeError, match=told):
        DenseMask(torch.zeros(shape, dtype=torch.bool))


@pytest.mark.parametrize("dtype", [torch.float32, torch.long])
def test_numbers_are_not_a_mask(dtype):
    with pytest.raises(ShapeError, match="DenseMask takes bool, True = may look, got torch"):
        DenseMask(torch.zeros(2, 2, dtype=dtype))


def test_it_prints_its_sizes():
    assert repr(DenseMask(torch.ones(2, 3, 4).bool())) == "DenseMask(2 x 3 x 4)"
