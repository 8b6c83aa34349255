"""The score of a pair, taken apart: every way of taking it apart sums to it."""

import pytest
import torch
from looking.activations.zoo import ALL, inputs_of, logits_of, model_of, side_of
from looking.built import decoder
from torch.testing import assert_close

import regard
from regard.errors import RegardError


def score_of(model, inputs, layer, head, query, key, batch):
    with torch.no_grad(), regard.watch(model, layer) as seen:
        logits_of(model, inputs)
    pattern = seen[layer]
    return float(pattern.scores(slice(query, query + 1), slice(key, key + 1))[batch, head, 0, 0])


@pytest.mark.parametrize("kind", ALL)
def test_the_parts_of_a_score_sum_to_it(kind):
    model, inputs, layer = model_of(kind), inputs_of(kind), f"{side_of(kind)}.1.self"
    for query, key in ((4, 1), (3, 3)):
        parts = regard.pair_score(model, inputs, layer, 1, query, key, batch=1)
        score = score_of(model, inputs, layer, 1, query, key, 1)
        near = 1e-4 * max(1, abs(score))
        assert parts.score == pytest.approx(score, abs=near)
        assert float(parts.by_dimension.sum()) + parts.bias == pytest.approx(score, abs=near)
        assert parts.content + parts.rotation + parts.bias == pytest.approx(score, abs=near)
        assert abs(parts.rest) < near
    assert len(parts.writers) == len(set(parts.writers)) == len(parts.by_writer)
    has_bias, rotates = kind.endswith("t5"), kind.endswith(("llama", "gpt_neox"))
    parts = regard.pair_score(model, inputs, layer, 1, 4, 1, batch=1)
    assert (parts.bias != 0) == has_bias
    assert (abs(parts.rotation) > 1e-4) == rotates


def test_what_stands_at_one_place_is_not_rotated_against_each_other():
    model = decoder(position="rotary").eval()
    tokens = torch.tensor([[3, 5, 7, 3, 2]])
    parts = regard.pair_score(model, tokens, "decoder.0.self", 0, 3, 0)
    layer, block = model.decoder.stack.blocks[0].self, model.decoder.stack.blocks[0]
    with torch.no_grad():
        x = block.self_norm(model.decoder.embedding.table(tokens))
        query, key, _ = (part.unflatten(-1, (4, -1)) for part in layer.qkv(x).split(layer.sizes, -1))
    assert_close(parts.content, float(query[0, 3, 0] @ key[0, 0, 0]) / 8**0.5, atol=1e-4, rtol=1e-3)


def test_a_writer_that_wrote_nothing_gives_nothing():
    model = decoder(position="rotary").eval()
    tokens = torch.tensor([[3, 5, 7, 3, 2]])
    with torch.no_grad():
        model.decoder.stack.blocks[0].feed_forward.narrow.weight.zero_()
        model.decoder.stack.blocks[0].feed_forward.narrow.bias.zero_()
    parts = regard.pair_score(model, tokens, "decoder.1.self", 2, 4, 1)
    index = parts.writers.index("decoder.0.feed_forward")
    assert_close(parts.by_writer[index], torch.zeros_like(parts.by_writer[index]), atol=1e-6, rtol=0)
    assert parts.top(1)[0][2] == float(parts.by_writer.flatten()[parts.by_writer.abs().argmax()])
    assert repr(parts).startswith("PairScore(decoder.1.self head 2: ")
    assert parts.show().title.startswith("decoder.1.self head 2")


def test_a_layer_of_two_texts_is_refused():
    with pytest.raises(RegardError, match=r"decoder\.0\.cross: a layer whose queries and keys are of one text"):
        regard.pair_score(model_of("t5"), inputs_of("t5"), "decoder.0.cross", 0, 1, 1)
