"""Padding of live models reaches whatever is told from their weights."""

import pytest
import torch

import regard
from regard.looking import EvaluationSet, confidence
from regard.looking.circuits import circuits, repeated_tokens
from regard.looking.watch import watch

transformers = pytest.importorskip("transformers")


def llama(seed=0):
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=61, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        intermediate_size=24,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model


def padded(tokens, pads, side):
    """The same texts with padding, their attention mask, and positions that do not count it."""
    rows = torch.full((len(tokens), pads), 3)
    attention_mask = torch.cat([torch.zeros_like(rows), torch.ones_like(tokens)], 1)
    both = torch.cat([rows, tokens], 1)
    if side == "right":
        both, attention_mask = torch.cat([tokens, rows], 1), attention_mask.flip(1)
    return both, attention_mask, (attention_mask.cumsum(-1) - 1).clamp(min=0)


@pytest.mark.parametrize("side", ["left", "right"])
def test_what_heads_do_is_told_without_padding(side):
    model, tokens = llama(), repeated_tokens(61, length=8, batch=2)
    plain = circuits(model, tokens)
    both, attention_mask, positions = padded(tokens, 5, side)
    mine = circuits(model, both, attention_mask=attention_mask, position_ids=positions)
    for kind in ("previous", "duplicate", "induction", "sink", "positional"):
        for layer, scores in plain.scores[kind].items():
            torch.testing.assert_close(mine.scores[kind][layer], scores, rtol=0, atol=1e-4)


@pytest.mark.parametrize("side", ["left", "right"])
def test_how_sure_heads_are_is_told_without_padding(side):
    model, tokens = llama(), repeated_tokens(61, length=8, batch=2)
    both, attention_mask, positions = padded(tokens, 5, side)

    def surest(*inputs, **given):
        def loss(model, batch):
            return model(*inputs, **given).logits.sum()

        return confidence(model, EvaluationSet([inputs], loss))

    plain, mine = surest(tokens), surest(both, attention_mask=attention_mask, position_ids=positions)
    for layer, scores in plain.items():
        torch.testing.assert_close(mine[layer], scores, rtol=0, atol=1e-4)


@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_hidden_token_is_the_same_with_padding_and_without(side, implementation):
    model, tokens = llama(), repeated_tokens(61, length=5, batch=2)
    model.set_attn_implementation(implementation)
    both, attention_mask, positions = padded(tokens, 4, side)
    with torch.no_grad(), regard.edit(model) as edit:
        edit.hide([2])
        plain = model(tokens).logits
        mine = model(both, attention_mask=attention_mask, position_ids=positions).logits
    torch.testing.assert_close(mine[attention_mask.bool()], plain.flatten(0, 1), rtol=0, atol=1e-5)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_row_that_is_set_is_that_of_the_token(side):
    model, tokens = llama(), repeated_tokens(61, length=5, batch=2)
    both, attention_mask, positions = padded(tokens, 4, side)
    weights = torch.zeros(10)
    weights[1] = 1
    with torch.no_grad(), watch(model, "decoder.1.self") as seen, regard.edit(model) as edit:
        edit.head("decoder.1.self", 0).set(weights, rows=[5])
        model(both, attention_mask=attention_mask, position_ids=positions)
    row, key = (9, 5) if side == "left" else (5, 1)
    assert seen["decoder.1.self"][:, 0, row, key].tolist() == [1, 1]
    assert (seen["decoder.1.self"][:, 0, row - 1, key] < 1).all()
