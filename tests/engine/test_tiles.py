"""Products on matrix tiles: as exact as their factors, whatever lies how in memory."""

import pytest
import torch
from torch.testing import assert_close

from regard.engine import EngineError
from regard.engine.tiles import tile_cross_entropy, tile_multiply, tile_product
from regard.layers.linear import Linear, products_by
from regard.training.optimisation.losses import cross_entropy

needs_tiles = pytest.mark.skipif(tile_multiply() is None, reason="this processor has no matrix tiles, or no engine")

SIZES = [
    (1, 1, 1),
    (3, 5, 2),
    (16, 16, 32),
    (33, 31, 65),
    (77, 45, 33),
    (200, 520, 1030),
    (1100, 64, 40),
    (5, 0, 3),
    (4, 3, 0),
]


def matrix(rows: int, columns: int, lies_in_columns: bool) -> torch.Tensor:
    return torch.randn(columns, rows).t() if lies_in_columns else torch.randn(rows, columns)


@needs_tiles
@pytest.mark.parametrize("turned", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(("rows", "columns", "depth"), SIZES)
def test_a_product_is_that_of_the_rounded_factors(rows, columns, depth, turned):
    left, right = matrix(rows, depth, turned[0]), matrix(columns, depth, turned[1])
    bias = torch.randn(columns)
    exact = left.bfloat16().double() @ right.bfloat16().double().T + bias.double()
    assert_close(tile_product(left, right, bias).double(), exact, atol=1e-5 * max(1, depth) ** 0.5, rtol=1e-5)


@needs_tiles
def test_threads_change_no_bit():
    left, right = torch.randn(700, 600), torch.randn(300, 600)
    before = torch.get_num_threads()
    try:
        answers = []
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            answers.append(tile_product(left, right))
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(answers[0], answer) for answer in answers)


@needs_tiles
def test_a_row_is_the_same_alone_and_among_others():
    left, right = torch.randn(70, 100), torch.randn(40, 100)
    assert torch.equal(tile_product(left, right)[33:34], tile_product(left[33:34], right))


@needs_tiles
def test_a_part_of_a_wider_matrix_is_read_in_place():
    wide = torch.randn(40, 90)
    assert torch.equal(
        tile_product(wide[:, 10:50], wide[5:20, 40:80]), tile_product(wide[:, 10:50].clone(), wide[5:20, 40:80].clone())
    )


@needs_tiles
def test_gradients_are_those_of_the_rounded_factors():
    layer, x = Linear(48, 80), torch.randn(3, 100, 48, requires_grad=True)
    with products_by(tile_product):
        out = layer(x)
    change = torch.randn_like(out)
    out.backward(change)
    rows, near = change.flatten(0, 1), x.detach().flatten(0, 1).bfloat16().double()
    coarse = rows.bfloat16().double()
    assert x.grad is not None
    assert layer.weight.grad is not None
    assert_close(x.grad.flatten(0, 1).double(), coarse @ layer.weight.bfloat16().double(), atol=1e-4, rtol=1e-5)
    assert_close(layer.weight.grad.double(), coarse.T @ near, atol=1e-4, rtol=1e-5)
    assert_close(layer.bias.grad, rows.sum(0))


@needs_tiles
@pytest.mark.parametrize(
    ("left", "right", "bias"),
    [
        (torch.randn(4, 3), torch.randn(4, 2), None),
        (torch.randn(4, 3), torch.randn(4, 3), torch.randn(3)),
        (torch.randn(4, 3).double(), torch.randn(4, 3), None),
        (torch.randn(4, 3), torch.randn(4, 3, device="meta"), None),
    ],
)
def test_what_does_not_fit_is_refused(left, right, bias):
    with pytest.raises(EngineError, match=r"a product of|expected"):
        tile_product(left, right, bias)


@needs_tiles
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize(("rows", "words", "width"), [(1, 1, 32), (7, 40, 32), (64, 512, 64), (600, 1300, 96)])
def test_a_cross_entropy_is_that_of_rounded_factors(rows, words, width, smoothing, has_bias):
    x, table = torch.randn(rows, width), 0.3 * torch.randn(words, width)
    bias, targets = torch.randn(words) if has_bias else None, torch.randint(words, (rows,))
    loss = tile_cross_entropy(x, table, bias, targets, smoothing)
    assert loss is not None
    near, words_near = (tensor.bfloat16().double().requires_grad_() for tensor in (x, table))
    scores = near @ words_near.T + (0 if bias is None else bias.double())
    right = scores.gather(1, targets[:, None])[:, 0]
    (scores.logsumexp(-1) - (1 - smoothing) * right).sum().backward()
    assert_close(loss.logsumexp.double(), scores.logsumexp(-1).detach(), atol=1e-5, rtol=1e-5)
    assert_close(loss.right.double(), right.detach(), atol=1e-5, rtol=1e-5)
    # A gradient is the mean word less the right one, each rounded to 8 bits; for the table the other way round.
    for ours, exact, size in ((loss.x_grad, near.grad, table[targets]), (loss.table_grad, words_near.grad, x)):
        assert exact is not None
        assert (ours.double() - exact).norm() <= 0.005 * size.norm()


@needs_tiles
def test_scores_that_are_no_numbers_or_too_far_apart_are_left_to_others():
    x, table, targets = torch.ones(3, 32), torch.zeros(600, 32), torch.zeros(3, dtype=torch.int64)
    table[550] = 5.0  # 160 more than the words before it
    assert tile_cross_entropy(x, table, None, targets, 0.1) is None
    assert tile_cross_entropy(x * float("nan"), table * 0, None, targets, 0.1) is None
    assert tile_cross_entropy(torch.ones(3, 33), torch.zeros(600, 33), None, targets, 0.1) is None
    with pytest.raises(EngineError, match="targets do not fit"):
        tile_cross_entropy(x, table, None, targets + 600, 0.1)


@needs_tiles
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_loss_of_a_model_is_nearly_that_of_float32(smoothing):
    x, table = torch.randn(100, 64, requires_grad=True), torch.randn(700, 64, requires_grad=True)
    targets = torch.randint(700, (100,))
    answers = []
    for multiply in (None, tile_product):
        with products_by(multiply):
            total, plain = cross_entropy(x, table, targets, smoothing=smoothing)
        answers.append((total.detach(), plain, *torch.autograd.grad(total, (x, table))))
    for exact, coarse in zip(*answers, strict=True):
        assert not torch.equal(exact, coarse)
        assert (exact - coarse).norm() <= 0.02 * exact.norm()


def test_where_there_are_no_tiles_nobody_multiplies_on_them(monkeypatch):
    monkeypatch.setenv("REGARD_ENGINE", "off")
    assert tile_multiply() is None
    with pytest.raises(EngineError, match="library is not there"):
        tile_product(torch.randn(2, 2), torch.randn(2, 2))
