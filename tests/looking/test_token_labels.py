"""Results carry the words of their tokens; each is an array, a table and a line that says what it is.

Also tests: looking/runs.py.
"""

import numpy as np
import pytest
import torch
from looking.activations.zoo import inputs_of, model_of

import regard
from regard.errors import RegardError
from regard.looking import differences, rollout, weighted_norms
from regard.looking.token_labels import ids_of, spell, token_labels

WORDS = [f"w{number}" for number in range(40)]


def words(ids):
    return [WORDS[number] for number in ids]


class Theirs:
    """As transformers' tokenisers spell."""

    def convert_ids_to_tokens(self, ids):
        return words(ids)


def metric(logits):
    return logits[0, -1, 7] - logits[0, -1, 9]


def test_tokens_are_spelled_by_whoever_can():
    assert spell(words, [3, 4]) == spell(Theirs(), [3, 4]) == ("w3", "w4")
    task = regard.load("shakespeare")
    assert spell(task, [20]) == spell(task.tokenizer, [20]) == task.tokenizer.tokens([20])
    with pytest.raises(RegardError, match="got int"):
        spell(3, [1])


def test_tokens_are_found_in_whatever_a_model_is_called_with():
    source, target = torch.tensor([[3, 4]]), torch.tensor([[5]])
    for inputs in ((source, target), {"input_ids": source, "decoder_input_ids": target},
                   {"source": source, "target": target}):  # fmt: skip
        assert token_labels(words, inputs, ["encoder", "decoder"]) == {"encoder": ("w3", "w4"), "decoder": ("w5",)}
    for inputs in (source, [source], {"input_ids": source}, {"tokens": source}):
        assert token_labels(words, inputs, ["decoder"]) == {"decoder": ("w3", "w4")}
    assert ids_of(torch.rand(1, 2), "decoder", alone=True) is None
    assert token_labels(None, source, ["decoder"]) == {}


def results(kind):
    """One of each kind of result, of one text."""
    model, clean, corrupt = model_of(kind), inputs_of(kind, batch=1), inputs_of(kind, seed=1, batch=1)
    tokens = clean["input_ids"]
    yield regard.patch(model, clean, corrupt, metric, tokenizer=words), (2, 6)
    yield regard.patch(model, clean, corrupt, metric, over="heads", tokenizer=words), (2, 4)
    senders, receivers = ["decoder.0.self.head_output"], ["decoder.1.self.key"]
    yield regard.path_patch(model, clean, corrupt, metric, senders=senders, receivers=receivers), (3,)
    yield regard.attribute(model, clean, metric, "gradient_x_input", tokenizer=words), (1, 6)
    yield regard.attribute_outputs(model, clean, [(4, 7), (5, 9)], "gradient_x_input", tokenizer=words), (2, 6)
    logit = regard.logit_attribution(model, clean, 7)
    yield logit, (len(logit.parts),)
    pair = regard.pair_score(model, clean, "decoder.1.self", 1, 4, 2)
    yield pair, (len(pair.writers),) * 2
    yield regard.lens(model, **clean, tokenizer=words), (2, 1, 6, 5)
    yield regard.circuits(model, tokens), (5, 2, 4)
    yield regard.composition(model), (3, 4, 4)
    yield regard.qk(model, "decoder.0.self", 1, tokenizer=words), (40, 40)
    yield regard.ov(model, "decoder.0.self", 1, tokenizer=words).top([3, 4], 5), (2, 5)
    yield regard.ov(model, "decoder.0.self", 1, tokenizer=words).svd(3), (3,)
    yield regard.promoted_tokens(model, "decoder.1", [1, 2], 4, tokenizer=words), (2, 4)
    mask = torch.ones(1, 6, dtype=torch.bool)
    yield regard.triggers(model, [(lambda: model(**clean), mask)], "decoder.0", k=2)["decoder.0"], (24, 2)
    yield regard.probe(model, [(clean, tokens % 2)], [(clean, tokens % 2)]), (2,)
    with torch.no_grad(), regard.watch(model, values=True) as seen:
        model(**clean)
    with torch.no_grad(), regard.watch(model) as other:
        model(**corrupt)
    yield seen["decoder.0.self"], (1, 4, 6, 6)
    yield rollout(seen), (1, 6, 6)
    yield differences(seen, other)["decoder.0.self"], (1, 4)


def test_every_result_is_an_array_a_table_and_a_line():
    pytest.importorskip("pandas")
    for result, shape in results("live llama"):
        assert np.asarray(result).shape == shape, result
        assert result.to_numpy().shape == shape
        axes = result.labelled().axes
        assert tuple(len(axis.labels) for axis in axes) == shape, result
        assert len(result.to_pandas()) in (shape[0], np.prod(shape))
        assert repr(result).startswith(type(result).__name__)
        assert "tensor(" not in repr(result)
        for axis in axes:
            if axis.name == "token" and type(result).__name__ != "TopEntries":
                assert str(axis.labels[0]).startswith("w"), result


def test_patching_names_both_tokens_where_they_differ():
    model, clean = model_of("live llama"), inputs_of("live llama", batch=1)
    corrupt = {"input_ids": clean["input_ids"].clone()}
    corrupt["input_ids"][0, 2] = 11
    grid = regard.patch(model, clean, corrupt, metric, tokenizer=words)
    before, tokens = words(clean["input_ids"][0].tolist()), list(grid.labelled().axes[1].labels)
    assert tokens[2] == f"{before[2]}|w11"
    assert [*tokens[:2], *tokens[3:]] == [*before[:2], *before[3:]]
    assert list(grid.show().columns) == tokens


def test_a_lens_spells_its_words_and_norms_are_told():
    model, clean = model_of("gpt2"), inputs_of("gpt2", batch=1)
    layers = regard.lens(model, **clean, tokenizer=words)
    assert layers.tokens == tuple(words(clean["tokens"][0].tolist()))
    assert set(layers.to_pandas()["word"]) <= set(WORDS)
    assert layers.show().columns[0] == layers.tokens[0]
    with torch.no_grad(), regard.watch(model, values=True) as seen:
        model(**clean)
    norms = weighted_norms(model, seen, "decoder.0.self")
    assert norms.to_numpy().shape == seen["decoder.0.self"].shape
    assert repr(norms).startswith("WeightedNorms(1 x")
