"""A text that is read in pieces is seen as if it were read at once."""

import pytest
import torch
from torch.testing import assert_close

from regard.config import (
    AttentionConfig,
    AttentionMethodConfig,
    DecoderConfig,
    DistanceConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    PositionConfig,
    ScoreConfig,
    StackConfig,
)
from regard.errors import ShapeError
from regard.looking import long_text, watch
from regard.looking.long_text import reads_in_pieces, watch_in_pieces
from regard.models import build

LENGTH = 50
ROTARY, ALIBI = PositionConfig("rotary", {"head_width": 8}), PositionConfig("alibi", {"heads": 4})


def decoder(position=ROTARY, local=None, distances=None, distinct=None, **options):
    window = {"window": 9, "global_layers": [1]} if local else {}
    stack = StackConfig(
        3, 32, AttentionConfig(4, **options), FeedForwardConfig(64, "gelu"), distinct=distinct, **window
    )
    side = EmbeddedStackConfig(EmbeddingConfig(20), stack, position, local, distances)
    torch.manual_seed(0)
    return build(DecoderConfig(side, OutputConfig())).eval()


DECODERS = {
    "rotary": {},
    "groups of heads": {"kv_heads": 2},
    "a penalty on distance": {"position": ALIBI},
    "learned positions": {"position": PositionConfig("learned", {"length": LENGTH, "width": 32})},
    "windows, and one layer that sees all": {"position": PositionConfig("none"), "local": ROTARY},
}


@pytest.mark.parametrize("size", [1, 7, 25, LENGTH, 2 * LENGTH])
@pytest.mark.parametrize("options", DECODERS.values(), ids=DECODERS)
def test_layers_and_vectors_are_those_of_one_go(options, size, monkeypatch):
    model, tokens = decoder(**options), torch.randint(0, 20, (1, LENGTH), generator=torch.Generator().manual_seed(1))
    monkeypatch.setattr(long_text, "PIECE", size)
    with torch.no_grad(), watch(model, "*.self") as seen:
        expected = model.hidden(tokens)
    assert reads_in_pieces(model)
    patterns, x = watch_in_pieces(model, tokens)
    assert_close(x, expected)
    assert list(patterns) == list(seen)
    for layer, pattern in patterns.items():
        assert_close(pattern.query, seen[layer].query)
        assert_close(pattern.key, seen[layer].key)
        assert_close(pattern.logsumexp, seen[layer].logsumexp)
        assert_close(pattern.weights(), seen[layer].weights())
        assert pattern.value is None
        assert pattern.key.untyped_storage().nbytes() == pattern.key.nbytes  # no room that nobody uses


@pytest.mark.parametrize(
    "options",
    [
        {"score": ScoreConfig("cosine")},
        {"method": AttentionMethodConfig("window", {"before": 3})},
        {"distances": DistanceConfig(4, 16)},
        {"distinct": 1},
    ],
    ids=lambda options: next(iter(options)),
)
def test_what_cannot_be_put_together_is_not_read_in_pieces(options):
    assert not reads_in_pieces(decoder(**options))


def test_padding_and_pieces_are_refused():
    tokens = torch.zeros(1, LENGTH, dtype=torch.long)
    with pytest.raises(ShapeError, match="only whole texts without padding are read in pieces"):
        decoder().hidden(tokens, attention_mask=torch.ones(1, LENGTH, dtype=torch.bool), piece=7)
