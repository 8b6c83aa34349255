"""A decoder whose heads do what their weights were written to do, and a small one that learned to repeat."""

import torch
import torch.nn.functional as F

from regard.config import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    OutputConfig,
    PositionConfig,
    StackConfig,
)
from regard.models import Decoder, DecoderConfig

WORDS, LENGTH, SHARP = 12, 24, 40.0
WIDTH = 2 * WORDS + LENGTH  # what the token is, where it stands, what stood before it
INNER = WORDS + LENGTH
PREVIOUS, DUPLICATE, SINK, POSITIONAL, EVEN = range(5)


def decoder(heads=4, layers=2, width=32, position="none", vocabulary=WORDS, **attention):
    """A small decoder, drawn at random."""
    settings = {"rotary": {"head_width": width // heads}, "learned": {"length": 64, "width": width}}.get(position, {})
    stack = StackConfig(layers, width, AttentionConfig(heads, **attention), FeedForwardConfig(width), NormConfig("rms"))
    side = EmbeddedStackConfig(EmbeddingConfig(vocabulary), stack, PositionConfig(position, settings))
    return Decoder(DecoderConfig(side, OutputConfig(tied=False)))


@torch.no_grad()
def built() -> Decoder:
    """Layer 0: a previous-token, a duplicate, a sink and a positional head (three back), and one that looks evenly.

    The first tells each token what stood before it; head 0 of layer 1 looks for its own token there and says what it
    finds: induction.
    """
    stack = StackConfig(
        2, WIDTH, AttentionConfig(5, head_width=INNER, bias=False), FeedForwardConfig(4), NormConfig("rms")
    )
    side = EmbeddedStackConfig(
        EmbeddingConfig(WORDS), stack, PositionConfig("learned", {"length": LENGTH, "width": WIDTH})
    )
    model = Decoder(DecoderConfig(side, OutputConfig(tied=False)))
    token, position, before = slice(0, WORDS), slice(WORDS, WORDS + LENGTH), slice(WORDS + LENGTH, WIDTH)
    here = slice(WORDS, INNER)  # the numbers of a head that stand for positions
    words, positions = torch.eye(WORDS), torch.eye(LENGTH)
    model.decoder.embedding.table.weight.zero_()[:, token] = words
    model.decoder.position.table.weight.zero_()[:, position] = positions
    for block in model.decoder.stack.blocks:
        for layer in (block.self.qkv, block.self.output, block.feed_forward.narrow):
            layer.weight.zero_()
        block.feed_forward.narrow.bias.zero_()
    first, second = (
        block.self.qkv.weight.unflatten(0, (3, 5, INNER)) for block in model.decoder.stack.blocks
    )  # query, key, value; heads
    first[0, PREVIOUS, here, position] = SHARP * shifted(1)
    first[1, PREVIOUS, here, position] = positions
    first[0, DUPLICATE, token, token] = SHARP * words
    first[1, DUPLICATE, token, token] = words
    first[0, DUPLICATE, here, position] = -2 * SHARP * positions
    first[1, DUPLICATE, here, position] = positions
    first[0, SINK, 0, position] = SHARP
    first[1, SINK, 0, position.start] = 1
    first[0, POSITIONAL, here, position] = SHARP * shifted(3)
    first[1, POSITIONAL, here, position] = positions
    first[2, PREVIOUS, token, token] = words
    model.decoder.stack.blocks[0].self.output.weight[before, PREVIOUS * INNER : PREVIOUS * INNER + WORDS] = (
        words * (2 / WIDTH) ** 0.5  # undoes the norm before the layer
    )
    second[0, 0, token, token] = SHARP * words
    second[1, 0, token, before] = words
    second[2, 0, token, token] = words
    upper = model.decoder.stack.blocks[1].self.output.weight
    upper[token, :WORDS] = 5 * words * (3 / WIDTH) ** 0.5  # louder than the token that is there
    model.output.weight.zero_()[:, token] = 3 * words
    return model


def shifted(back: int) -> torch.Tensor:
    """From a position to the position so far before it: (positions of keys, positions of queries)."""
    return torch.diag(torch.ones(LENGTH - back), back)


def cycles(count, length, words, seed):
    """Random tokens that come again after a period of their own, and where a token can be foreseen."""
    lot = torch.Generator().manual_seed(seed)
    period = torch.randint(length // 4, length // 2, (count, 1), generator=lot)
    at = torch.arange(length).expand(count, -1)
    drawn = torch.rand(count, words, generator=lot).argsort(-1)  # no token twice in a period
    return drawn.gather(1, at % period), at[:, 1:] > period  # the first token that comes again is a surprise


def loss(model, tokens, foreseen):
    return F.cross_entropy(model(tokens)[:, :-1][foreseen], tokens[:, 1:][foreseen])


def trained(seed, steps=500, length=32, words=24, heads=8, width=32, inner=16) -> Decoder:
    """A decoder of two layers that learned to foresee what repeats.

    It has eight heads and then two: all heads of the second layer learn the same, and were there as many of them as in
    the first, as many at random would be half of all there are.
    """
    torch.manual_seed(seed)
    stack = StackConfig(
        layers=2,
        width=width,
        attention=AttentionConfig(heads, head_width=inner),
        feed_forward=FeedForwardConfig(width),
        norm=NormConfig("rms"),
        pruned={"1.self": list(range(2, heads))},
    )
    side = EmbeddedStackConfig(EmbeddingConfig(words), stack, PositionConfig("rotary", {"head_width": inner}))
    model = Decoder(DecoderConfig(side, OutputConfig(tied=False)))
    optimiser = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.0)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = 1e-2 * min(1, (step + 1) / 30) * min(1, 4 * (steps - step) / steps)
        optimiser.zero_grad()
        loss(model, *cycles(32, length, words, step)).backward()
        optimiser.step()
    return model.eval()
