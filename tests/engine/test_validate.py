"""Parts that do not fit each other are never run: what runs them trusts every width.

Also tests: engine/library.py, engine/packing.py, engine/parts.py.
"""

import pytest
import torch
from needs_engine import needs_engine
from shapes_of_engine import WIDTH, WORDS, made, texts
from torch import nn

from regard.engine import Unsupported, serve
from regard.engine.library import library
from regard.engine.packing import pack
from regard.layers import Linear
from regard.positions import Alibi, LearnedPositions, RelativeBuckets, Rotary, Sinusoidal

pytestmark = needs_engine

INNER, HEAD = 40, 6


def block(model):
    return model.decoder.stack.blocks[1]


PARTS = {
    "what widens in decoder.1 puts out 64, not 40": lambda m: setattr(
        block(m).feed_forward, "widen", Linear(WIDTH, 64)
    ),
    "what widens in decoder.1 reads 25": lambda m: setattr(block(m).feed_forward, "widen", Linear(25, INNER)),
    "what narrows in decoder.1 puts out 32": lambda m: setattr(block(m).feed_forward, "narrow", Linear(INNER, 32)),
    "the projection of decoder.1.self puts out 96": lambda m: setattr(block(m).self, "qkv", Linear(WIDTH, 96)),
    "the output of decoder.1.self reads 30": lambda m: setattr(block(m).self, "output", Linear(30, WIDTH)),
    "the output of decoder.1.cross puts out 30": lambda m: setattr(block(m).cross, "output", Linear(WIDTH, 30)),
    "the query of decoder.1.cross puts out 32": lambda m: setattr(block(m).cross, "query", Linear(WIDTH, 32)),
    "the keys and values of decoder.1.cross put out 40": lambda m: setattr(block(m).cross, "kv", Linear(WIDTH, 40)),
    "the keys and values of decoder.1.cross read 40": lambda m: setattr(block(m).cross, "kv", Linear(40, 48)),
    "the feed-forward norm of decoder.1 is 16 wide": lambda m: setattr(block(m), "feed_forward_norm", nn.LayerNorm(16)),
    "the norm of decoder.1.cross is 25 wide": lambda m: setattr(block(m), "cross_norm", nn.LayerNorm(25)),
    "the last norm of encoder is 25 wide": lambda m: setattr(m.encoder.stack, "norm", nn.LayerNorm(25)),
    "words of encoder are 16 wide": lambda m: setattr(m.encoder.embedding, "table", nn.Embedding(WORDS, 16)),
    "places of encoder are 16 wide": lambda m: setattr(m.encoder, "position", LearnedPositions(40, 16)),
    "waves of encoder are 16 wide": lambda m: setattr(m.encoder, "position", Sinusoidal(16)),
    "turns of decoder are 4 wide": lambda m: setattr(m.decoder, "position", Rotary(4)),
    "two slopes for four heads": lambda m: setattr(m.decoder, "position", Alibi(2)),
    "two biases for four heads": lambda m: setattr(m.encoder, "position", RelativeBuckets(2)),
    "words are scored from 25": lambda m: setattr(m.output, "weight", nn.Parameter(torch.ones(WORDS, 25))),
    "a bias of ten numbers": lambda m: setattr(block(m).feed_forward.widen, "bias", nn.Parameter(torch.ones(10))),
    "a norm of ten numbers": lambda m: setattr(block(m).self_norm, "weight", nn.Parameter(torch.ones(10))),
    "a norm with ten biases": lambda m: setattr(block(m).cross_norm, "bias", nn.Parameter(torch.ones(10))),
    "words are scored with ten biases": lambda m: setattr(m.output, "bias", nn.Parameter(torch.ones(10))),
    "a block without its cross-attention": lambda m: setattr(block(m), "cross", None),
}


@pytest.mark.parametrize("change", PARTS.values(), ids=PARTS)
def test_what_does_not_fit_is_left_to_torch_which_says_so(change, unchecked):
    model = made("pre-norm")
    found, source, tokens = library(), texts(300, 5)[0], texts(300, 3)[0]
    engine = serve(model)
    engine.step(engine.start(source), tokens)
    change(model)
    with pytest.raises(Unsupported) as problem:
        pack(found, model, "float32")
    assert " expected" in str(problem.value) or "bias" in str(problem.value) or "source" in str(problem.value)
    with torch.no_grad(), pytest.raises(Exception, match=r".") as own:
        model.step(model.start(source), tokens)
    with torch.no_grad(), pytest.raises(type(own.value)) as compiled:
        engine.step(engine.start(source), tokens)
    assert str(compiled.value) == str(own.value)
