"""Transformer-XL: a text read in segments, with a memory of what came before."""

import torch
from pydantic import Field

from regard.looking import watch
from regard.models import (
    AttentionConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    OutputConfig,
    StackConfig,
    TransformerXL,
    XLConfig,
)
from regard.viewer.learn.lesson import RANDOM, Lesson, Shown, fact, grid
from regard.viewer.payload import Given
from regard.viewer.shelf import Shelf

LAYERS, VOCABULARY = 2, 40
CODE = """import torch
from regard.models import XL, AttentionConfig, InnerConfig, OutputConfig, SideConfig, StackConfig, WordsConfig, XLConfig

torch.manual_seed(0)
attention = AttentionConfig(heads=2, score="xl")
stack = StackConfig(layers=2, width=16, attention=attention, inner=InnerConfig(32, "gelu"), window={memory} + 1)
model = XL(XLConfig(SideConfig(WordsConfig(vocabulary=40), stack), OutputConfig())).eval()
text, memory = torch.randint(40, (1, {length})), None
with torch.no_grad():
    for segment in text.split({segment}, 1):
        x, memory = model.read(segment, memory)
        print(x.shape, memory.shape)
"""


class Reading(Given):
    length: int = Field(12, ge=4, le=32)
    segment: int = Field(4, ge=1, le=16)
    memory: int = Field(4, ge=1, le=16)


@torch.no_grad()
def shown(given: Reading, shelf: Shelf) -> Shown:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention = AttentionConfig(heads=2, score="xl")
        inner = FeedForwardConfig(32, "gelu")
        stack = StackConfig(layers=LAYERS, width=16, attention=attention, feed_forward=inner, window=given.memory + 1)
        model = TransformerXL(
            XLConfig(EmbeddedStackConfig(EmbeddingConfig(vocabulary=VOCABULARY), stack), OutputConfig())
        ).eval()
        text = torch.randint(VOCABULARY, (1, given.length))
    weights = torch.zeros(given.length, given.length)
    memory, begin = None, 0
    for segment in text.split(given.segment, 1):
        with watch(model, "decoder.0.self") as seen:
            _, memory = model.read(segment, memory)
        found = seen["decoder.0.self"].weights()[0].mean(0)
        end = begin + segment.shape[1]
        weights[begin:end, end - found.shape[1] : end] = found
        begin = end
    other = text.clone()
    other[0, 0] = (other[0, 0] + 1) % VOCABULARY
    felt = (read(model, text, given.segment) - read(model, other, given.segment)).abs().amax(-1)[0] > 1e-7
    places = [str(number) for number in range(given.length)]
    grids = [
        grid("mask", (weights > 0).float(), places, places, "mask"),
        grid("weights", weights, places, places, "weights"),
        grid("felt", felt, ["felt"], places, "mask"),
    ]
    return Shown(RANDOM, grids, [fact("farthest", float(felt.nonzero().max()))])


def read(model: TransformerXL, text: torch.Tensor, segment: int) -> torch.Tensor:
    """The vectors of a text that is read in segments."""
    memory, found = None, []
    for some in text.split(segment, 1):
        x, memory = model.read(some, memory)
        found.append(x)
    return torch.cat(found, 1)


LESSON = Lesson(Reading, shown, CODE)
