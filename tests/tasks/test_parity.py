"""The light path, a folder in the engine without torch, writes what the model of torch in the engine writes.

Every sentence is written in every precision with beams of 1 and 4, under one of several constraints: which, goes round.
What is compared are the tokens and their scores, to the bit. Every family that the light path serves is compared in
`tests/engine/test_folder_model.py`.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from builtin.shipped import folder
from engine.needs_engine import needs_engine
from shared import unpacked

import regard
from regard.checkpoints import load_model
from regard.decoding import decode
from regard.engine import PRECISIONS
from regard.text.batching import array_batch

pytestmark = needs_engine
BEAMS = (1, 4)
LONGEST = 60  # tokens that are written at most
SETS = ("tatoeba-en-de/valid.tsv.xz", "tests-en-de/newstest2013.tsv.xz")
WAYS = ("plain", "min", "max", "no-repeat", "prefix", "banned")


def sentences(name, count, begin=0):
    """So many sentences, half of them everyday ones, half news; `begin` are left out before them."""
    column = 0 if name == "en-de" else 1
    for path in SETS:
        lines = [line.split("\t")[column] for line in unpacked(path).splitlines()]
        yield from [line for line in lines if line.strip()][begin // len(SETS) : (begin + count) // len(SETS)]


def options_of(way, task, plain):
    """How a batch is written: what its texts begin with, what they may hold. `plain` are the tokens of one of them,
    written freely, so that what is forbidden would have come."""
    start, constraints = task.processor.start(), task.processor.constraints()
    options = {"prefix": [start], "max_new_tokens": LONGEST, "constraints": constraints}
    if way == "min":
        options["constraints"] = replace(constraints, min_new_tokens=len(plain) + 5)
    elif way == "max":
        options["max_new_tokens"] = max(1, len(plain) // 2)
    elif way == "no-repeat":
        options["constraints"] = replace(constraints, no_repeat=1)
    elif way == "prefix":
        options["prefix"] = [start, *plain[:2][::-1]]
    elif way == "banned":
        words = tuple(token for token in plain[:3] if token not in constraints.ends)
        options["constraints"] = replace(
            constraints, banned=(*constraints.banned, *words), phrases=(plain[3:5],) * bool(plain[3:5])
        )
    return options


def hypotheses(model, batch, options, **more):
    """What a model writes: arrays for the light path, tensors for torch's."""
    prefix = np.tile(np.array(options["prefix"], np.int64), (len(batch.tokens), 1))
    arrays = {"source": batch.tokens, "attention_mask": batch.attention_mask, "prefix": prefix}
    if isinstance(model, torch.nn.Module):
        arrays = {name: torch.from_numpy(array) for name, array in arrays.items()}
    results = decode(model, **{**options, **arrays}, **more)
    return [[(one.ids, one.scores, one.rank_score) for one in result.hypotheses] for result in results]


def compare(name, count, batch_size, begin=0):
    """The sentences whose hypotheses were compared, and how many hypotheses differ from those written freely."""
    light, model = regard.load(name), load_model(folder(name)).model
    assert light.folder_model is not None
    texts = [sentence.tokens for text in sentences(name, count, begin) for sentence in light.read(text).sentences]
    compared = changed = 0
    for number, first in enumerate(range(0, len(texts), batch_size)):
        some = texts[first : first + batch_size]
        batch = array_batch(some, tuple(range(len(some))), light.processor.padding or 0, light.side)
        free = options_of("plain", light, ())
        plain = hypotheses(light.folder_model, batch, free, beam=1)
        options = options_of(WAYS[number % len(WAYS)], light, tuple(plain[0][0][0]))
        for precision in PRECISIONS:
            for beam in BEAMS:
                one = hypotheses(light.folder_model, batch, options, beam=beam, precision=precision)
                other = hypotheses(model, batch, options, beam=beam, precision=precision)
                assert one == other, (name, first, WAYS[number % len(WAYS)], precision, beam)
                compared += len(one)
                if (precision, beam) == ("float32", 1):
                    changed += sum(mine != freely for mine, freely in zip(one, plain, strict=True))
    return len(texts), compared, changed


@pytest.mark.parametrize("name", ["en-de", "de-en"])
def test_some_sentences_are_written_as_with_torch(name):
    texts, compared, changed = compare(name, 2 * len(WAYS), batch_size=2)
    assert compared == texts * len(PRECISIONS) * len(BEAMS)
    assert changed >= len(WAYS) - 1  # constraints were at work


@pytest.mark.proof
@pytest.mark.parametrize("part", range(4))
def test_many_sentences_are_written_as_with_torch(part):
    """2,000 in four parts, each of some minutes."""
    count = 500
    texts, compared, changed = compare("en-de", count, batch_size=20, begin=part * count)
    print(f"{texts} sentences, {compared} times compared; constraints changed {changed} of them")
    assert texts >= count
    assert compared == texts * len(PRECISIONS) * len(BEAMS)
    assert changed > texts // 4
