"""The models that come with the install, and what they are tried on; a test is skipped where one is missing."""

from collections.abc import Sequence
from functools import cache

import pytest
from shared import unpacked

import regard
from regard.engine import serve
from regard.tasks import TranslateTask
from regard.tasks.find import builtin

DIRECTIONS = ("en-de", "de-en")


def folder(name: str):
    """The folder of a built-in model."""
    found = builtin()
    if name not in found:
        pytest.skip(f"{name} is not built in: train it (recipes/) and ship it (recipes/ship.py)")
    return found[name]


@cache
def loaded(name: str):
    """The model, with the engine ready if there can be one."""
    folder(name)
    found = regard.load(name)
    serve(found.model, wait=True)
    return found


def translator(name: str) -> TranslateTask:
    found = loaded(name)
    assert isinstance(found, TranslateTask)
    return found


@cache
def pairs(name: str, split: str = "test") -> tuple[list[str], list[str]]:
    """Sources and references of a direction."""
    columns = zip(
        *(line.split("\t") for line in unpacked(f"tatoeba-en-de/{split}.tsv.xz").split("\n")[:-1]), strict=True
    )
    english, german = map(list, columns)
    return (english, german) if name == "en-de" else (german, english)


@cache
def translations(name: str, beam: int = 4, precision: str = "float32") -> list:
    """Our translations of the test set, all at once."""
    return translator(name)(pairs(name)[0], beam=beam, precision=precision, split=False, protect=False)


def bleu(hypotheses: Sequence[str], references: Sequence[str]) -> float:
    """sacreBLEU with its defaults."""
    return pytest.importorskip("sacrebleu").corpus_bleu(list(hypotheses), [list(references)]).score
