"""The animal didn't cross the road because it was too tired, or too wide: which heads notice?"""

from typing import Any

import torch
from pydantic import Field

from regard.errors import RegardError, UnknownName
from regard.looking import watch
from regard.looking.layer_names import LayerNames
from regard.tasks import Task
from regard.viewer.learn.lesson import Lesson, LessonResult, Word, fact, grid
from regard.viewer.payload import RequestModel
from regard.viewer.shelf import ModelStore
from regard.viewer.sides import read

SENTENCE = "The animal didn't cross the road because it was too {word}."
RULE = (
    "heads are ranked by how much of the weight of 'it' on 'animal' and 'road' together goes to 'animal', "
    "less the same share in the sentence with the other word ('tired' against 'wide'); causal layers are left out, "
    "since there 'it' cannot see the word that follows"
)
SHOWN = 12  # heads
CODE = """import regard

task = regard.load({model!r})
with regard.watch(task.model) as seen:
    task("The animal didn't cross the road because it was too {word}.")
print(seen)
"""


class AnimalRequest(RequestModel):
    word: Word = "tired"
    model: str | None = Field(None, max_length=200)


@torch.no_grad()
def compute(request: AnimalRequest, model_store: ModelStore) -> LessonResult:
    name = request.model or fitting_model(model_store)
    task = model_store.get(name)
    other = "wide" if request.word.lower() != "wide" else "tired"
    here, there = (watch_sentence(task, SENTENCE.format(word=word)) for word in (request.word, other))
    ranking = sorted(
        (
            (animal_share(here, place, head) - animal_share(there, place, head), place, head)
            for place, head in here["heads"]
        ),
        key=lambda one: (-abs(one[0]), one[1], one[2]),
    )
    if not ranking:
        raise RegardError(f"{name} has no layer in which 'it' can see the whole sentence")
    best = ranking[:SHOWN]
    rows = [[*weights_of_it(here, place, head), difference] for difference, place, head in best]
    names = [f"{place} · {head}" for _, place, head in best]
    _, place, head = best[0]
    weights = here["seen"][place][0, head, here["it"]]
    grids = [
        grid("ranking", torch.tensor(rows), names, ["animal", "road", "difference"]),
        grid("weights", weights, ["it"], here["texts"], "weights"),
    ]
    facts = [fact("rule", RULE), fact("place", place), fact("head", float(head)), fact("model", name)]
    return LessonResult(name, grids, facts)


def fitting_model(shelf: ModelStore) -> str:
    """A model that reads both ways: one that is loaded, or the first there is."""
    fitting = [name for name, one in shelf.models().items() if one.task in ("translate", "embed", "fill", "classify")]
    fitting = [name for name in fitting if not shelf.models()[name].problem]
    if not fitting:
        raise UnknownName("no model here reads both ways: start with --model and a translator or a BERT")
    return next((name for name in fitting if name in shelf.loaded), fitting[0])


def watch_sentence(task: Task, sentence: str) -> dict[str, Any]:
    """What every head that sees the whole sentence looked at, and where the three words stand."""
    encoded = task.tokenizer.encode(sentence)
    side = read("text", [sentence], encoded, task.tokenizer)
    places = [name for name in LayerNames(task.model).layers if name.startswith("encoder")]
    if not places:
        return {"heads": []}
    model: Any = task.model
    with watch(model, *places) as seen:
        tokens = torch.tensor([encoded.ids], device=task.device)
        if hasattr(model, "encode"):
            model.encode(tokens)
        else:
            model.hidden(tokens)
    words = [word.strip(".").lower() for word in sentence.split()]
    at = {
        word: [place for place, number in enumerate(side.words) if number == words.index(word)]
        for word in ("it", "animal", "road")
    }
    heads = [(name, head) for name in places for head in range(seen[name].shape[1])]
    return {"seen": seen, "heads": heads, "texts": side.texts, "it": at["it"][-1], "at": at}


def weights_of_it(one: dict[str, Any], place: str, head: int) -> list[float]:
    """The weight of "it" on the animal and on the road."""
    row = one["seen"][place][0, head, one["it"]]
    return [float(row[one["at"][word]].sum()) for word in ("animal", "road")]


def animal_share(one: dict[str, Any], place: str, head: int) -> float:
    animal, road = weights_of_it(one, place, head)
    return animal / (animal + road) if animal + road > 0 else 0.5


LESSON = Lesson(AnimalRequest, compute, CODE)
