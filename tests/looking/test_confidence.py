"""The mean of the largest weight, counted by hand."""

import pytest
import torch
from looking.families import WORDS, made
from looking.test_importance import exam_of
from torch.testing import assert_close

import regard
from regard.looking import EvaluationSet, confidence


@pytest.mark.parametrize("kind", ["albert", "t5", "alignment"])
def test_confidence_is_the_mean_of_the_largest_weights(kind):
    model = made(kind)[0]
    exam = exam_of(model)
    found = confidence(model, exam)
    largest = {layer: [] for layer in found}
    for batch in exam.batches:
        with torch.no_grad(), regard.watch(model) as seen:
            exam.loss(model, batch)
        for layer in found:
            largest[layer].append(seen[layer].weights().amax(-1).transpose(0, 1).flatten(1))
    for layer, row in found.items():
        assert_close(row, torch.cat(largest[layer], 1).mean(1))


def test_the_token_that_ends_a_text_neither_asks_nor_answers():
    model = made("marian")[0]
    exam = exam_of(model, batches=1)
    found = confidence(model, exam, eos_layers=["encoder.*", "*.cross"])
    with torch.no_grad(), regard.watch(model) as seen:
        exam.loss(model, exam.batches[0])
    for layer, row in found.items():
        weights = seen[layer].weights()
        if "decoder" not in layer or "cross" in layer:
            weights = weights[..., :-1]
        weights = weights[:, :, :-1] if "encoder" in layer else weights
        assert_close(row, weights.amax(-1).mean((0, 2)))


def test_padding_does_not_ask():
    model = made("bert")[0]
    texts = [torch.randint(3, WORDS, (1, length)) for length in (7, 4)]
    alone = confidence(model, EvaluationSet(texts, lambda model, batch: model(batch).sum()))
    padded = torch.cat([texts[0], torch.nn.functional.pad(texts[1], (0, 3))])
    attention_mask = torch.arange(7) < torch.tensor([[7], [4]])
    together = confidence(
        model, EvaluationSet([padded], lambda model, batch: model(batch, attention_mask=attention_mask).sum())
    )
    for layer in alone:
        assert_close(together[layer], alone[layer], rtol=1e-4, atol=1e-5)
