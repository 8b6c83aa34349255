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
    ScoreConfig,
    StackConfig,
    TransformerXL,
    XLConfig,
)
from regard.viewer.learn.lesson import RANDOM, Lesson, LessonResult, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

LAYERS, VOCABULARY = 2, 40
CODE = """import torch
from regard.models import AttentionConfig, EmbeddedStackConfig, EmbeddingConfig, FeedForwardConfig
from regard.models import OutputConfig, ScoreConfig, StackConfig, TransformerXL, XLConfig

torch.manual_seed(0)
attention = AttentionConfig(heads=2, score=ScoreConfig("xl"))
feed_forward = FeedForwardConfig(32, "gelu")
stack = StackConfig(layers=2, width=16, attention=attention, feed_forward=feed_forward, window={memory} + 1)
embedded = EmbeddedStackConfig(EmbeddingConfig(vocabulary=40), stack)
model = TransformerXL(XLConfig(embedded, OutputConfig())).eval()
text, memory = torch.randint(40, (1, {length})), None
with torch.no_grad():
    for segment in text.split({segment}, 1):
        x, memory = model.read(segment, memory)
        print(x.shape, memory.shape)
"""


class SegmentsRequest(RequestModel):
    length: int = Field(12, ge=4, le=32)
    segment: int = Field(4, ge=1, le=16)
    memory: int = Field(4, ge=1, le=16)


@torch.no_grad()
def compute(request: SegmentsRequest, model_store: ModelStore) -> LessonResult:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        attention = AttentionConfig(heads=2, score=ScoreConfig("xl"))
        inner = FeedForwardConfig(32, "gelu")
        stack = StackConfig(layers=LAYERS, width=16, attention=attention, feed_forward=inner, window=request.memory + 1)
        model = TransformerXL(
            XLConfig(EmbeddedStackConfig(EmbeddingConfig(vocabulary=VOCABULARY), stack), OutputConfig())
        ).eval()
        text = torch.randint(VOCABULARY, (1, request.length))
    weights = torch.zeros(request.length, request.length)
    memory, begin = None, 0
    for segment in text.split(request.segment, 1):
        with watch(model, "decoder.0.self") as seen:
            _, memory = model.read(segment, memory)
        segment_weights = seen["decoder.0.self"].weights()[0].mean(0)
        end = begin + segment.shape[1]
        weights[begin:end, end - segment_weights.shape[1] : end] = segment_weights
        begin = end
    other = text.clone()
    other[0, 0] = (other[0, 0] + 1) % VOCABULARY
    is_reached = (
        read_segments(model, text, request.segment) - read_segments(model, other, request.segment)
    ).abs().amax(-1)[0] > 1e-7
    positions = [str(number) for number in range(request.length)]
    grids = [
        grid("mask", (weights > 0).float(), positions, positions, "mask"),
        grid("weights", weights, positions, positions, "weights"),
        grid("reached", is_reached, ["reached"], positions, "mask"),
    ]
    return LessonResult(RANDOM, grids, [fact("farthest", float(is_reached.nonzero().max()))])


def read_segments(model: TransformerXL, text: torch.Tensor, segment: int) -> torch.Tensor:
    """The vectors of a text that is read in segments."""
    memory, outputs = None, []
    for piece in text.split(segment, 1):
        x, memory = model.read(piece, memory)
        outputs.append(x)
    return torch.cat(outputs, 1)


LESSON = Lesson(SegmentsRequest, compute, CODE)
