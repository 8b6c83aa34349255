"""The animal didn't cross the road because it was too tired, or too wide: what "it" looks at in a small encoder that
learned what "it" means, in the same with two heads, and in a model that nobody asked."""

from functools import cache
from pathlib import Path

import torch
from pydantic import Field

from regard.tasks import ClassifyTask, Task, TokenLabels, load
from regard.tasks.pronouns import PRONOUN, PronounWeights, bare_word, pronoun_weights
from regard.viewer.learn.lesson import Lesson, LessonResult, Word, fact, grid
from regard.viewer.model_store import ModelStore
from regard.viewer.payload import Fact, Grid, RequestModel
from regard.viewer.token_columns import text_column

SENTENCE = "The animal didn't cross the road because it was too {word}."
MODELS = Path(__file__).parent / "animal_models"
"""What recipes/animal.toml gave, with one head a layer and with two."""
ONE_HEAD, TWO_HEADS = "one-head", "two-heads"
CHOSEN = {ONE_HEAD: ("encoder.1.self", 0), TWO_HEADS: ("encoder.1.self", 1)}
"""The head that gives the right noun the larger weight in most sentences of the valid split."""
MADE = "recipes/animal.toml"
RULE = (
    "heads are ranked by how much of the weight of 'it' on 'animal' and 'road' together goes to 'animal', "
    "less the same share in the sentence with the other word ('tired' against 'wide'); causal layers are left out, "
    "since there 'it' cannot see the word that follows"
)
BUILT_IN = "en-de"  # what is looked at where nobody says
SHOWN = 12  # heads
CODE = """import regard
from regard.tasks.pronouns import pronoun_weights
from regard.viewer.learn.animal import MODELS

task = regard.load(MODELS / "one-head")
for word in ({word!r}, "wide", "tired"):
    seen = pronoun_weights(task, "The animal didn't cross the road because it was too " + word + ".")
    for head, animal, road in zip(seen.heads, seen.on("animal"), seen.on("road")):
        print(word, head, round(float(animal), 2), round(float(road), 2))
"""


class AnimalRequest(RequestModel):
    word: Word = "tired"
    model: str | None = Field(None, max_length=200)


def compute(request: AnimalRequest, model_store: ModelStore) -> LessonResult:
    other = "wide" if request.word.lower() != "wide" else "tired"
    sentences = SENTENCE.format(word=request.word), SENTENCE.format(word=other)
    name = request.model or fitting_model(model_store)
    task = None if name is None else model_store.get(name)
    grids, facts = small_models(request.word, other)
    if name is None or task is None:
        return LessonResult(MADE, grids, [*facts, fact("problem", "no model here reads both ways")])
    ranking = rank(task, *sentences)
    if not ranking:
        problem = f"{name} has no layer in which 'it' can see the whole sentence"
        return LessonResult(MADE, grids, [*facts, fact("model", name), fact("problem", problem)])
    here = pronoun_weights(task, sentences[0])
    names = [f"{layer} · {head}" for layer, head in here.heads]
    rows = [[*weights_on_nouns(here, number), difference] for difference, number in ranking[:SHOWN]]
    best = ranking[0][1]
    layer, head = here.heads[best]
    grids += [
        grid(
            "ranking",
            torch.tensor(rows),
            [names[number] for _, number in ranking[:SHOWN]],
            ["animal", "road", "difference"],
        ),
        grid("weights", here.weights[best], [PRONOUN], token_texts(task, sentences[0]), "weights"),
    ]
    facts += [fact("rule", RULE), fact("layer", layer), fact("head", float(head)), fact("model", name)]
    return LessonResult(f"{MADE}, and {name}", grids, facts)


def small_models(word: str, other: str) -> tuple[list[Grid], list[Fact]]:
    """What "it" looks at in the two small models: in the chosen head of the one, in all heads of the other."""
    text = SENTENCE.format(word=word)
    small = small_model(ONE_HEAD)
    layer, head = CHOSEN[ONE_HEAD]
    readings = [pronoun_weights(small, SENTENCE.format(word=one)) for one in (word, other)]
    number = readings[0].heads.index((layer, head))
    both = torch.tensor([weights_on_nouns(reading, number) for reading in readings])
    divided = pronoun_weights(small_model(TWO_HEADS), text)
    heads = torch.stack([divided.on(one) for one in ("animal", "road", bare_word(text.split()[-1]))], 1)
    grids = [
        grid("small", both, [word, other], ["animal", "road"]),
        grid("small weights", readings[0].weights[number], [PRONOUN], token_texts(small, text), "weights"),
        grid("two heads", heads, [f"{layer} · {head}" for layer, head in divided.heads], ["animal", "road", word]),
    ]
    facts = [
        fact("small head", f"{layer} · {head}"),
        fact("means", tag_of_pronoun(small, text)),
        fact("two heads mean", tag_of_pronoun(small_model(TWO_HEADS), text)),
        fact("two heads chosen", "{} · {}".format(*CHOSEN[TWO_HEADS])),
    ]
    return grids, facts


@cache
def small_model(name: str) -> ClassifyTask:
    task = load(MODELS / name)
    assert isinstance(task, ClassifyTask)
    return task


def tag_of_pronoun(task: ClassifyTask, text: str) -> str:
    """The noun that a model says "it" means."""
    answer = task(text)
    assert isinstance(answer, TokenLabels)
    return next(token.label for token in answer.tokens if token.token == PRONOUN)


def token_texts(task: Task, text: str) -> list[str]:
    return text_column("text", [text], task.tokenizer.encode(text), task.tokenizer).texts


def fitting_model(model_store: ModelStore) -> str | None:
    """A model that reads both ways: one that is loaded, or the built-in one for English, or the first there is."""
    models = model_store.models()
    fitting = [
        name
        for name, model in models.items()
        if model.task in ("translate", "embed", "fill", "classify") and not model.problem
    ]
    names = [*(name for name in fitting if name in model_store.loaded), *({BUILT_IN} & {*fitting}), *fitting]
    return names[0] if names else None


def rank(task: Task, text: str, other: str) -> list[tuple[float, int]]:
    """Heads by how much the last word changes what "it" gives to the animal: differences, and numbers of heads."""
    here, there = pronoun_weights(task, text), pronoun_weights(task, other)
    changes = [(animal_share(here, number) - animal_share(there, number), number) for number in range(len(here.heads))]
    return sorted(changes, key=lambda change: (-abs(change[0]), change[1]))


def weights_on_nouns(seen: PronounWeights, number: int) -> list[float]:
    """The weight of "it" on the animal and on the road."""
    return [float(seen.on(word)[number]) for word in ("animal", "road")]


def animal_share(seen: PronounWeights, number: int) -> float:
    animal, road = weights_on_nouns(seen, number)
    return animal / (animal + road) if animal + road > 0 else 0.5


LESSON = Lesson(AnimalRequest, compute, CODE)
