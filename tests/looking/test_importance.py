"""Gradients of gates: finite differences, one example at a time, and with everything computed twice.

Also tests: looking/gates.py.
"""

import pytest
import torch
from looking.families import WORDS, made
from torch.testing import assert_close

import regard
from regard.errors import RegardError
from regard.looking import EvaluationSet, importance
from regard.looking.gates import gates
from regard.looking.importance import gradients, lengthened
from regard.looking.layer_names import LayerNames
from regard.models import Aligner, Transformer


def exam_of(model, batches=2, rows=3, seed=0):
    """Texts of the same length; the loss is that of guessing the next token, or whatever the model says of each."""
    generator = torch.Generator().manual_seed(seed)
    tokens = [torch.randint(3, WORDS, (rows, 2, 6), generator=generator) for _ in range(batches)]

    def loss(model, batch):
        source, target = batch.unbind(1)
        scores = model(source, target) if isinstance(model, Transformer | Aligner) else model(target)
        return torch.nn.functional.cross_entropy(scores[:, :-1].flatten(0, 1), target[:, 1:].flatten(), reduction="sum")

    return EvaluationSet(tokens, loss, lambda batch: batch[:, 0, 1:].numel())


KINDS = ["bert", "albert", "llama", "t5", "xl", "alignment"]


@pytest.mark.parametrize("kind", KINDS)
def test_gate_gradients_equal_finite_differences(kind):
    model = made(kind)[0].double()
    exam = exam_of(model, batches=1, rows=2)
    batch = exam.batches[0]
    found = gradients(model, exam, batch)
    assert {*found} == {*LayerNames(model).layers}
    step = 1e-5
    for layer, gradient in found.items():
        for member, head in [(0, 0), (1, 3)]:

            def turned(by, layer=layer, member=member, head=head):
                def opened(here, pattern):
                    gate = torch.ones(pattern.shape[:2], dtype=torch.float64)
                    gate[member, head] += by if here == layer else 0
                    return gate

                with torch.no_grad(), gates(model, opened):
                    return exam.loss(model, batch)

            slope = (turned(step) - turned(-step)) / (2 * step)
            assert_close(gradient[member, head], slope, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_an_example_matters_as_much_in_a_batch_as_alone(kind):
    model = made(kind)[0].double()
    exam = exam_of(model, batches=1)
    together = gradients(model, exam, exam.batches[0])
    for member in range(3):
        alone = gradients(model, exam, exam.batches[0][member : member + 1])
        for layer, gradient in together.items():
            assert_close(gradient[member : member + 1], alone[layer], rtol=1e-9, atol=1e-10)


def test_importance_is_the_mean_over_examples_of_what_each_says():
    model = made("gpt2")[0].double()
    exam = exam_of(model)
    found = importance(model, exam)
    every = [gradients(model, exam, batch[row : row + 1]) for batch in exam.batches for row in range(len(batch))]
    for layer, row in found.items():
        assert_close(row, sum(one[layer].abs()[0] for one in every) / exam.total)


@pytest.mark.parametrize("kind", ["bert", "albert", "marian", "xl"])
def test_computing_twice_changes_nothing(kind):
    model = made(kind)[0]
    exam = exam_of(model)
    once, twice = importance(model, exam), importance(model, exam, recompute=True)
    assert once.keys() == twice.keys()
    for layer in once:
        assert_close(twice[layer], once[layer], rtol=1e-4, atol=1e-7)
    assert not any("forward" in vars(module) for module in model.modules())


def test_weights_want_gradients_afterwards_as_before():
    model = made("gpt2")[0]
    model.output.weight.requires_grad_(False)
    before = [weight.requires_grad for weight in model.parameters()]
    importance(model, exam_of(model))
    assert [weight.requires_grad for weight in model.parameters()] == before
    assert all(weight.grad is None for weight in model.parameters())


def test_a_head_that_puts_out_nothing_does_not_matter():
    model = made("gpt2")[0]
    with torch.no_grad():
        model.decoder.stack.blocks[0].self.output.weight[:, 6:12] = 0
    found = importance(model, exam_of(model))["decoder.0.self"]
    assert found[1] == 0
    assert (found[[0, 2, 3]] > 0).all()


def test_by_layer_every_layer_has_a_length_of_1():
    model = made("t5")[0]
    found = importance(model, exam_of(model), by_layer=True)
    assert_close(torch.stack([row.norm() for row in found.values()]), torch.ones(len(found)))
    assert lengthened({"a": torch.zeros(3)})["a"].eq(0).all()


def test_models_of_transformers_are_judged_too():
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(vocab_size=WORDS, n_embd=24, n_layer=2, n_head=4, n_positions=20)
    model = transformers.GPT2LMHeadModel(config).eval()
    tokens = torch.randint(3, WORDS, (2, 6))
    exam = EvaluationSet([tokens], lambda model, batch: model(batch, labels=batch).loss * len(batch))
    found = importance(model, exam)
    factor = torch.ones(2, 4, requires_grad=True)
    layer = next(iter(found))
    with regard.edit(model) as edit:
        edit.head(layer, range(4)).scale(factor)
        (model(tokens, labels=tokens).loss * 2).backward()
    assert_close(found[layer], factor.grad.abs().sum(0) / 2)


def test_an_exam_without_questions_is_refused():
    with pytest.raises(RegardError, match="nothing to ask the model"):
        EvaluationSet([], lambda model, batch: torch.zeros(()))
