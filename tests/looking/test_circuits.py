from itertools import combinations

import pytest
import torch
from looking.built import (
    DUPLICATE,
    EVEN,
    LENGTH,
    POSITIONAL,
    PREVIOUS,
    SINK,
    WORDS,
    built,
    cycles,
    decoder,
    loss,
    trained,
)

import regard
from regard.attention import Causal, Pattern, tiles
from regard.errors import ShapeError
from regard.looking.circuits import DETECTORS, circuits, detect, repeated_tokens


def test_each_detector_finds_the_head_that_was_built_for_it_and_no_other():
    found = circuits(built(), repeated_tokens(WORDS, LENGTH // 2, batch=8)).heads()
    named = {(one.kind, one.layer, one.head) for one in found}
    assert named == {
        ("previous", "decoder.0.self", PREVIOUS),
        ("positional", "decoder.0.self", PREVIOUS),  # one position back is a distance, too
        ("duplicate", "decoder.0.self", DUPLICATE),
        ("sink", "decoder.0.self", SINK),
        ("positional", "decoder.0.self", POSITIONAL),
        ("induction", "decoder.1.self", 0),
    }
    assert all(one.score > 0.75 for one in found)


@pytest.mark.parametrize("position", ["none", "rotary", "learned"])
@pytest.mark.parametrize("seed", range(3))
def test_detectors_are_quiet_on_random_weights(position, seed):
    torch.manual_seed(seed)
    model = decoder(position=position)
    assert circuits(model, repeated_tokens(WORDS, LENGTH, seed=seed)).heads() == []


def test_a_head_that_looks_evenly_scores_nothing():
    scores = circuits(built(), repeated_tokens(WORDS, LENGTH // 2, batch=8)).scores
    for kind in (*DETECTORS, "sink"):
        assert abs(float(scores[kind]["decoder.0.self"][EVEN])) < 1e-5


def by_hand(weights, tokens, kind):
    """The weight given to the keys that a kind looks at, above chance, in plain loops."""
    batch, heads, size, _ = weights.shape
    total, chance, count = torch.zeros(heads), 0.0, 0
    for b in range(batch):
        text = tokens[b].tolist()
        for i in range(size):
            keys = {
                "previous": [i - 1] if i else [],
                "duplicate": [j for j in range(i) if text[j] == text[i]],
                "induction": [j for j in range(1, i) if text[j - 1] == text[i]],
            }[kind]
            if keys and len(keys) < i + 1:
                total += weights[b, :, i, keys].sum(-1)
                chance += len(keys) / (i + 1)
                count += 1
    return (total / count - chance / count) / (1 - chance / count)


@pytest.mark.parametrize("kind", DETECTORS)
def test_scores_are_those_of_plain_loops_however_the_weights_are_cut_up(kind, monkeypatch):
    torch.manual_seed(0)
    tokens = torch.randint(4, (2, 13))
    pattern = Pattern(torch.randn(2, 4, 13, 8), torch.randn(2, 2, 13, 8), mask=Causal())
    expected = by_hand(pattern.weights(), tokens, kind)
    torch.testing.assert_close(detect(pattern, tokens)[kind], expected)
    monkeypatch.setattr(tiles, "BUDGET", 16)
    monkeypatch.setattr(tiles, "STRIP", 5)
    monkeypatch.setattr(tiles, "ROWS", 2)
    torch.testing.assert_close(detect(pattern, tokens)[kind], expected)


def test_padding_changes_nothing():
    torch.manual_seed(0)
    model = decoder(position="rotary")
    tokens = repeated_tokens(WORDS, LENGTH // 2 - 2, batch=3)
    padded = torch.nn.functional.pad(tokens, (0, 4))
    attention_mask = torch.nn.functional.pad(torch.ones_like(tokens, dtype=torch.bool), (0, 4))
    alone, beside = circuits(model, tokens), circuits(model, padded, attention_mask=attention_mask)
    for kind, layers in alone.scores.items():
        for layer, row in layers.items():
            torch.testing.assert_close(beside.scores[kind][layer], row, rtol=1e-4, atol=1e-5)


def test_a_picture_has_a_row_for_each_layer_and_a_column_for_each_head():
    album = circuits(built(), repeated_tokens(WORDS, LENGTH // 2)).album()
    assert [picture.title for picture in album.pictures] == [
        *("previous heads", "duplicate heads", "induction heads", "sink heads", "positional heads"),
    ]
    assert album.pictures[0].rows == ("decoder.0.self", "decoder.1.self")
    assert len(album.pictures[0].table[0]) == 5


def test_tokens_must_fit_the_pattern():
    with pytest.raises(ShapeError, match="a token for each of 3 queries"):
        detect(Pattern(torch.randn(1, 1, 3, 4), torch.randn(1, 1, 3, 4)), torch.zeros(1, 4, dtype=torch.long))


def test_repeated_tokens_come_twice():
    tokens = repeated_tokens(9, 5, batch=2, first=3)
    assert tokens.shape == (2, 11)
    assert (tokens[:, 0] == 3).all()
    torch.testing.assert_close(tokens[:, 1:6], tokens[:, 6:])


def rests_on(model, found, every, tokens, foreseen):
    """How much more the repeat suffers without the heads found than without as many at random; its loss before."""

    def without(heads):
        with torch.no_grad(), regard.edit(model) as edit:
            for layer, head in heads:
                edit.head(layer, head).off()
            return float(loss(model, tokens, foreseen))

    whole, choices = without([]), list(combinations(every, len(found)))  # all ways to draw them
    chance = sum(without(heads) for heads in choices) / len(choices) - whole
    return (without(found) - whole) / chance, whole


def test_the_repeat_rests_on_the_head_that_was_built_for_it():
    model = built()
    tokens, foreseen = cycles(8, LENGTH, WORDS, seed=1)
    found = [(one.layer, one.head) for one in circuits(model, tokens).heads() if one.kind == "induction"]
    every = [(layer_name, head) for layer_name in ("decoder.0.self", "decoder.1.self") for head in range(5)]
    ratio, whole = rests_on(model, found, every, tokens, foreseen)
    assert found == [("decoder.1.self", 0)]
    assert whole < 0.5  # by chance it would be log 12 = 2.5
    assert ratio >= 3


@pytest.mark.proof
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_induction_heads_are_found_where_they_were_learned_and_the_repeat_rests_on_them(seed):
    model = trained(seed)
    tokens, foreseen = cycles(64, 32, 24, seed=10_001)
    found = [(one.layer, one.head) for one in circuits(model, tokens).heads() if one.kind == "induction"]
    upper = [("decoder.1.self", head) for head in range(2)]
    every = [*(("decoder.0.self", head) for head in range(8)), *upper]
    ratio, whole = rests_on(model, found, every, tokens, foreseen)
    assert sorted(found) == upper
    assert whole < 0.2  # the repeat is foreseen; by chance its loss would be log 24 = 3.2
    assert ratio >= 3
