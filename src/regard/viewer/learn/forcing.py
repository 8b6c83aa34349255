"""Teacher forcing: the right words are read, shifted by one, and every position guesses the next at once."""

import torch
from pydantic import Field

from regard.models import Transformer
from regard.viewer.learn.lesson import Lesson, LessonResult, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel

MODEL, BEST = "en-de", 3
CODE = """import regard, torch

task = regard.load("en-de")
source, target = (torch.tensor([task.tokenizer.encode(text).ids]) for text in ({source!r}, {target!r}))
read = torch.nn.functional.pad(target[:, :-1], (1, 0))  # token 0 is this model's <s>
with torch.no_grad():
    probabilities = task.model(source, read).softmax(-1)
for position, token in enumerate(target[0]):
    print(task.tokenizer.decode([int(token)]), float(probabilities[0, position, token]))
"""


class ForcingRequest(RequestModel):
    source: str = Field("The old man is reading a book.", min_length=1, max_length=200)
    target: str = Field("Der alte Mann liest ein Buch.", min_length=1, max_length=200)


@torch.no_grad()
def compute(request: ForcingRequest, model_store: ModelStore) -> LessonResult:
    task = model_store.get(MODEL)
    model = task.model
    assert isinstance(model, Transformer)
    source, target = (
        torch.tensor([task.tokenizer.encode(text).ids], device=task.device) for text in (request.source, request.target)
    )
    read = torch.nn.functional.pad(target[:, :-1], (1, 0))
    probabilities = model(source, read).float().softmax(-1)[0]
    chances = probabilities.gather(-1, target[0][:, None])
    likeliest = probabilities.topk(BEST, -1)
    words = [task.tokenizer.decode([int(token)]).strip() or "(end)" for token in target[0]]
    before = ["(start)", *words[:-1]]
    guesses = [
        ", ".join(task.tokenizer.decode([int(token)]).strip() or "(end)" for token in row) for row in likeliest.indices
    ]
    rows = [f"{left} → {right}" for left, right in zip(before, words, strict=True)]
    loss = -chances.log().mean()
    grids = [grid("probability of the right word", chances, rows, ["probability"])]
    facts = [fact(f"guess {number}", text) for number, text in enumerate(guesses)]
    return LessonResult(MODEL, grids, [*facts, fact("guesses", float(len(words))), fact("loss", float(loss))])


LESSON = Lesson(ForcingRequest, compute, CODE)
