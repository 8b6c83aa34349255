"""Who may look at whom: causal, padding, a window."""

from typing import Literal

import torch
from pydantic import Field

from regard.attention import Causal, Mask, Padding, Pattern, Window
from regard.viewer.learn.lesson import RANDOM, Lesson, LessonResult, Word, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

CODE = """import torch
from regard.attention import Causal, Padding, Pattern, Window

words, length, window = {words}, {length}, {window}
padding = Padding.from_lengths([min(length, len(words))], keys=len(words))
masks = {{"none": None, "causal": Causal(), "padding": padding, "causal and padding": Causal() & padding}}
masks["window"] = Window(window, window)
torch.manual_seed(0)
query, key = torch.randn(2, 1, 1, len(words), 8).unbind()
print(Pattern(query, key, mask=masks[{mask!r}]).draw(rows=words, columns=words))
"""


class MasksRequest(RequestModel):
    words: list[Word] = Field(["the", "cat", "sat", "down", "…", "…"], min_length=1, max_length=12)
    mask: Literal["none", "causal", "padding", "causal and padding", "window"] = "causal"
    length: int = Field(4, ge=1, le=12)
    window: int = Field(1, ge=0, le=12)


def compute(request: MasksRequest, model_store: ModelStore) -> LessonResult:
    count = len(request.words)
    padding = Padding.from_lengths([min(request.length, count)], keys=count)
    masks: dict[str, Mask | None] = {
        "none": None,
        "causal": Causal(),
        "padding": padding,
        "causal and padding": Causal() & padding,
        "window": Window(request.window, request.window),
    }
    mask, positions = masks[request.mask], torch.arange(count)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        query, key = torch.randn(2, 1, 1, count, 8).unbind()
    pattern = Pattern(query, key, mask=mask)
    allowed = (
        torch.ones(count, count) if mask is None else mask.tile(positions, positions).float().expand(1, 1, count, count)
    )
    everything = slice(0, count), slice(0, count)
    grids = [
        grid("mask", allowed, request.words, request.words, "mask"),
        grid("scores", Pattern(query, key).scores(*everything), request.words, request.words),
        grid("weights", pattern.weights(), request.words, request.words, "weights"),
    ]
    return LessonResult(RANDOM, grids, [])


LESSON = Lesson(MasksRequest, compute, CODE)
