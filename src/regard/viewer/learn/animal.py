"""The animal didn't cross the road because it was too tired, or too wide: which heads notice?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from pydantic import Field

from regard.attention import Pattern
from regard.errors import RegardError, UnknownName
from regard.looking import watch
from regard.looking.layer_names import LayerNames
from regard.models import Encoder, Transformer
from regard.tasks import Task
from regard.viewer.learn.lesson import Lesson, LessonResult, Word, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import RequestModel
from regard.viewer.token_columns import text_column

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
            (animal_share(here, layer, head) - animal_share(there, layer, head), layer, head)
            for layer, head in here.heads
        ),
        key=lambda entry: (-abs(entry[0]), entry[1], entry[2]),
    )
    if not ranking:
        raise RegardError(f"{name} has no layer in which 'it' can see the whole sentence")
    best = ranking[:SHOWN]
    rows = [[*weights_of_it(here, layer, head), difference] for difference, layer, head in best]
    names = [f"{layer} · {head}" for _, layer, head in best]
    _, layer, head = best[0]
    weights = here.seen[layer][0, head, here.it]
    grids = [
        grid("ranking", torch.tensor(rows), names, ["animal", "road", "difference"]),
        grid("weights", weights, ["it"], here.texts, "weights"),
    ]
    facts = [fact("rule", RULE), fact("layer", layer), fact("head", float(head)), fact("model", name)]
    return LessonResult(name, grids, facts)


def fitting_model(model_store: ModelStore) -> str:
    """A model that reads both ways: one that is loaded, or the first there is."""
    fitting = [
        name for name, model in model_store.models().items() if model.task in ("translate", "embed", "fill", "classify")
    ]
    fitting = [name for name in fitting if not model_store.models()[name].problem]
    if not fitting:
        raise UnknownName("no model here reads both ways: start with --model and a translator or a BERT")
    return next((name for name in fitting if name in model_store.loaded), fitting[0])


@dataclass(frozen=True, eq=False)
class WatchedSentence:
    """What was seen, the heads that saw the whole sentence, and where the three words stand; `it` is the last "it"."""

    seen: Mapping[str, Pattern]
    heads: Sequence[tuple[str, int]]
    texts: Sequence[str]
    it: int
    at: Mapping[str, list[int]]


def watch_sentence(task: Task, sentence: str) -> WatchedSentence:
    """What every head that sees the whole sentence looked at, and where the three words stand."""
    encoded = task.tokenizer.encode(sentence)
    side = text_column("text", [sentence], encoded, task.tokenizer)
    layers = [name for name in LayerNames(task.model).layers if name.startswith("encoder")]
    if not layers:
        return WatchedSentence({}, [], [], 0, {})
    model = task.model
    with watch(model, *layers) as seen:
        tokens = torch.tensor([encoded.ids], device=task.device)
        if isinstance(model, Transformer):
            model.encode(tokens)
        else:
            assert isinstance(model, Encoder)
            model.hidden(tokens)
    words = [word.strip(".").lower() for word in sentence.split()]
    at = {
        word: [position for position, number in enumerate(side.words) if number == words.index(word)]
        for word in ("it", "animal", "road")
    }
    heads = [(name, head) for name in layers for head in range(seen[name].shape[1])]
    return WatchedSentence(seen, heads, side.texts, at["it"][-1], at)


def weights_of_it(watched: WatchedSentence, layer: str, head: int) -> list[float]:
    """The weight of "it" on the animal and on the road."""
    row = watched.seen[layer][0, head, watched.it]
    return [float(row[watched.at[word]].sum()) for word in ("animal", "road")]


def animal_share(watched: WatchedSentence, layer: str, head: int) -> float:
    animal, road = weights_of_it(watched, layer, head)
    return animal / (animal + road) if animal + road > 0 else 0.5


LESSON = Lesson(AnimalRequest, compute, CODE)
