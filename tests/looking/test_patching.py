"""Patching: grids that hold to hand-made hooks, estimates that tell their error.

Also tests: looking/runs.py.
"""

import pytest
import torch
from looking.activations.zoo import ALL, inputs_of, logits_of, model_of
from torch.testing import assert_close

import regard
from regard.errors import RegardError, ShapeError, UnknownName


def metric(logits):
    return (logits[:, -1, 5] - logits[:, -1, 6]).sum()


@pytest.mark.parametrize("kind", ALL)
def test_a_model_patched_with_itself_is_as_it_was_to_the_bit(kind):
    model, inputs = model_of(kind), inputs_of(kind)
    with torch.no_grad():
        plain = float(metric(logits_of(model, inputs)))
    overs = (("stream", [1]), ("heads", [0]), ("feed_forward", [1]))
    for over, layers in overs if kind in ("gpt2", "live t5") else overs[1:2]:
        grid = regard.patch(model, inputs, inputs, metric, over, layers=layers)
        assert grid.values.eq(plain).all(), over
    assert (grid.clean, grid.corrupt) == (plain, plain)
    with pytest.raises(RegardError, match="the metric is the same in both runs"):
        _ = grid.effect


def test_patches_are_what_hooks_by_hand_do():
    model, clean, corrupt = model_of("live gpt2"), inputs_of("live gpt2"), inputs_of("live gpt2", seed=1)
    block, kept = model.transformer.h[1], {}
    stream = regard.patch(model, clean, corrupt, metric, "stream")
    heads = regard.patch(model, clean, corrupt, metric, "heads")

    def put(tensor, part):
        tensor = tensor.clone()
        tensor[part] = kept["x"][part]
        return tensor

    with torch.no_grad():
        for module, grid, part, cell in (
            (block, stream, (slice(None), 3), (1, 3)),
            (block.attn.c_proj, heads, (..., slice(4, 8)), (1, 1)),
        ):
            handle = module.register_forward_pre_hook(lambda _, args: kept.update(x=args[0]))
            clean_metric = float(metric(model(**clean).logits))
            handle.remove()
            handle = module.register_forward_pre_hook(lambda _, args, part=part: (put(args[0], part), *args[1:]))
            by_hand = float(metric(model(**corrupt).logits))
            handle.remove()
            assert grid.values[cell] == pytest.approx(by_hand, abs=1e-6)
            assert grid.clean == clean_metric
    assert grid.effect[cell] == pytest.approx((by_hand - grid.corrupt) / (grid.clean - grid.corrupt), abs=1e-5)


@pytest.mark.parametrize(("kind", "over"), [("gpt2", "stream"), ("live t5", "heads"), ("llama", "feed_forward")])
def test_attribution_patching_tells_its_error(kind, over):
    model, inputs = model_of(kind), inputs_of(kind)
    grid = regard.patch(model, inputs_of(kind, seed=1), inputs, metric, over, exact=False)
    exact = regard.patch(model, inputs_of(kind, seed=1), inputs, metric, over)
    largest = (grid.values - grid.corrupt).abs().flatten().topk(min(8, grid.values.numel())).indices
    error = (grid.values - exact.values).flatten()[largest].abs().max()
    assert grid.error == pytest.approx(float(error), rel=1e-3)
    assert not grid.is_exact
    assert grid.checked <= 8
    assert "estimated, error" in repr(grid)


def test_attribution_patching_equals_finite_differences():
    """A clean run that differs a little in one place: the estimate is exact up to the second order."""
    model, inputs = model_of("gpt2"), inputs_of("gpt2")
    site, step = "decoder.1.self.head_output", 1e-2
    with torch.no_grad(), regard.watch(model, site) as seen:
        logits_of(model, inputs)
    x = seen.activation(site)
    with regard.watch(model, site, grad=True) as graph:
        value = metric(logits_of(model, inputs))
        gradient = torch.autograd.grad(value, graph.activation(site))[0]
    with torch.no_grad(), regard.edit(model) as edit:
        values = []
        for sign in (1, -1):
            edit.clear()
            edit.site(site, heads=[1]).set((x + sign * step * gradient)[:, 1:2])
            values.append(float(metric(logits_of(model, inputs))))
    slope = (values[0] - values[1]) / (2 * step)
    assert slope == pytest.approx(float(gradient[:, 1].square().sum()), rel=1e-2)


def test_pairs_are_patched_where_there_is_something_to_see():
    model, clean, corrupt = model_of("gpt2"), inputs_of("gpt2", batch=1), inputs_of("gpt2", seed=1, batch=1)
    grid = regard.patch(model, clean, corrupt, metric, "pairs", layers=[1])
    assert grid.values.isnan().sum() == 15  # those that the mask forbids
    assert_close(grid.values[0, 0], torch.tensor(grid.corrupt, dtype=torch.float64), atol=1e-5, rtol=0)
    assert (grid.values[5, :5] - grid.corrupt).abs().min() > 1e-6
    some = regard.patch(model, clean, corrupt, metric, "pairs", layers=[1], queries=[5, 2], keys=[0, 2, 4])
    assert (some.rows, some.columns) == (("5", "2"), ("0", "2", "4"))
    assert_close(some.values, grid.values[[5, 2]][:, [0, 2, 4]], equal_nan=True, atol=1e-5, rtol=0)
    with pytest.raises(RegardError, match="pairs are patched exactly"):
        regard.patch(model, clean, corrupt, metric, "pairs", exact=False)
    with pytest.raises(RegardError, match="queries and keys are those of pairs"):
        regard.patch(model, clean, corrupt, metric, "heads", queries=[1])


def test_a_grid_is_drawn_and_told():
    model, clean, corrupt = model_of("gpt2"), inputs_of("gpt2"), inputs_of("gpt2", seed=1)
    grid = regard.patch(model, clean, corrupt, metric, "heads")
    assert repr(grid).startswith("PatchGrid(heads, 2 x 4, exact; clean ")
    assert grid.show().title == "patching heads (exact)"
    row, column, effect = grid.top(1)[0]
    assert grid.effect[grid.rows.index(row), int(column)] == effect == grid.effect.flatten()[grid.effect.abs().argmax()]


def test_what_cannot_be_patched_is_refused():
    model, inputs = model_of("gpt2"), inputs_of("gpt2")
    with pytest.raises(UnknownName, match="unknown kind of patch 'head': did you mean 'heads'"):
        regard.patch(model, inputs, inputs, metric, "head")
    with pytest.raises(ShapeError, match=r"a metric gives one number, got \(2,\)"):
        regard.patch(model, inputs, inputs, lambda logits: logits[:, -1, 5])
