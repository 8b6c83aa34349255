"""Token attribution: what its methods promise, on every shape of model."""

import copy

import numpy as np
import pytest
import torch
import transformers as T
from looking.activations.zoo import MARIAN, inputs_of, logits_of, model_of
from torch.testing import assert_close

import regard
from regard.errors import UnknownName
from regard.looking.attribution import ATTRIBUTION_METHODS, attribute_outputs

TRANSLATORS = ("marian", "t5", "live marian", "live t5")


def metric(logits):
    return logits[:, -1, 5].sum()


@pytest.mark.parametrize("kind", ["llama", "bert", "marian", "live gpt2", "live bert", "live t5"])
def test_every_method_scores_every_token(kind):
    model, inputs = model_of(kind), inputs_of(kind)
    with torch.no_grad():
        value = float(metric(logits_of(model, inputs)))
    for method in ATTRIBUTION_METHODS:
        result = regard.attribute(model, inputs, metric, method, steps=2)
        assert result.value == pytest.approx(value, abs=1e-5)
        shapes = {side: tuple(scores.shape) for side, scores in result.scores.items()}
        expected = {"encoder": (2, 6), "decoder": (2, 5)} if kind in TRANSLATORS else {next(iter(shapes)): (2, 6)}
        assert shapes == expected, method
        assert all(scores.isfinite().all() and scores.any() for scores in result.scores.values()), method
    assert all(weight.grad is None for weight in model.parameters())


@pytest.mark.parametrize("kind", ["gpt2", "live llama"])
def test_integrated_gradients_sum_to_the_difference_from_the_baseline(kind):
    model, inputs = model_of(kind), inputs_of(kind)
    rough, fine = (regard.attribute(model, inputs, metric, steps=steps) for steps in (2, 96))
    assert fine.convergence < rough.convergence
    assert fine.convergence < 0.05 * max(1, abs(fine.value))
    assert "convergence" in repr(fine)


def test_the_gradient_is_that_of_the_embedding():
    model, inputs = model_of("live gpt2"), inputs_of("live gpt2")
    result = regard.attribute(model, inputs, metric, "gradient_x_input")
    embeddings = model.transformer.wte(inputs["input_ids"]).detach().requires_grad_()
    gradient = torch.autograd.grad(metric(model(inputs_embeds=embeddings).logits), embeddings)[0]
    assert_close(result.scores["decoder"], (gradient * embeddings.detach()).sum(-1), atol=1e-5, rtol=1e-4)


def test_occlusion_is_a_difference_of_two_runs():
    model, inputs = model_of("gpt2"), inputs_of("gpt2", batch=1)
    zeroed = regard.attribute(model, inputs, metric, "occlusion").scores["decoder"]
    hidden = regard.attribute(model, inputs, metric, "leave_one_out").scores["decoder"]
    with torch.no_grad(), regard.edit(model) as edit:
        plain = float(metric(logits_of(model, inputs)))
        edit.site("embedding", positions=[2]).zero()
        assert float(zeroed[0, 2]) == pytest.approx(plain - float(metric(logits_of(model, inputs))), abs=1e-5)
        edit.clear()
        edit.hide([3])
        assert float(hidden[0, 3]) == pytest.approx(plain - float(metric(logits_of(model, inputs))), abs=1e-5)


def test_outputs_are_attributed_one_by_one():
    model, inputs = model_of("marian"), inputs_of("marian")
    grid = attribute_outputs(model, inputs, [(0, 4), (3, 9)], "gradient_x_input")
    assert {side: tuple(scores.shape) for side, scores in grid.grids.items()} == {"encoder": (2, 6), "decoder": (2, 5)}
    assert (grid.grids["decoder"][0, 1:] == 0).all()  # what is not written yet gives nothing
    assert grid.show().title == "gradient_x_input of the encoder"


def test_a_result_says_what_it_is_and_an_unknown_method_is_refused():
    result = regard.attribute(model_of("gpt2"), inputs_of("gpt2"), metric, "gradient_x_input")
    assert repr(result).startswith("TokenAttribution(gradient_x_input of ")
    assert result.show(decoder=[*"abcdef"]).names[1] == tuple("abcdef")
    with pytest.raises(UnknownName, match="unknown attribution method 'saliency'"):
        regard.attribute(model_of("gpt2"), inputs_of("gpt2"), metric, "saliency")


def test_integrated_gradients_are_those_of_a_plain_loop():
    """By torch and transformers alone: gradients along the way from zeros, by the same rule of quadrature."""
    model, tokens = model_of("live gpt2"), inputs_of("live gpt2", batch=1)["input_ids"]
    embeddings = model.transformer.wte(tokens).detach()
    points, weights = np.polynomial.legendre.leggauss(6)
    total = torch.zeros_like(embeddings)
    for point, weight in zip(points, weights, strict=True):
        x = (embeddings * (0.5 + 0.5 * point)).float().requires_grad_()
        total += 0.5 * weight * torch.autograd.grad(metric(model(inputs_embeds=x).logits), x)[0]
    result = regard.attribute(model, tokens, metric, "integrated_gradients", steps=6)
    assert_close(result.scores["decoder"], (embeddings * total).sum(-1).float(), atol=1e-5, rtol=1e-4)


class Stretch:
    """A hook that makes the vector of one token longer."""

    def __init__(self, position):
        self.position, self.factor = position, 1.0

    def __call__(self, table, tokens, x):
        x = x.clone()
        x[:, self.position] *= self.factor
        return x


def slopes(model, lengths, inputs, step=1e-6):
    """How fast the number grows with the length of each token's vector, from differences of two runs in float64."""
    model, result = copy.deepcopy(model).double(), {}
    for side, length in lengths.items():
        table, row = getattr(model.model, side).embed_tokens, []
        for position in range(length):
            stretch = Stretch(position)
            handle, values = table.register_forward_hook(stretch), []
            for stretch.factor in (1 + step, 1 - step):
                with torch.no_grad():
                    values.append(float(metric(logits_of(model, inputs))))
            handle.remove()
            row.append((values[0] - values[1]) / (2 * step))
        result[side] = torch.tensor(row, dtype=torch.float32)
    return result


def test_a_translator_that_scales_its_embeddings_is_explained_as_it_is():
    """inseq 0.7.1 scales what transformers' decoder scales again, and explains other logits: bench/peers.py."""
    torch.manual_seed(0)
    model = T.MarianMTModel(T.MarianConfig(**MARIAN, scale_embedding=True)).eval()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight) * 0.2)
    inputs = inputs_of("live marian", batch=1)
    scores = regard.attribute(model, inputs, metric, "gradient_x_input").scores
    expected = slopes(model, {"encoder": 6, "decoder": 5}, inputs)
    for side in ("encoder", "decoder"):
        assert_close(scores[side][0], expected[side], atol=1e-5, rtol=1e-4)
