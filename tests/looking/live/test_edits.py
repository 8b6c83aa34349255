"""Edits of live models: with a cache, step by step, they do what they do in one pass over the whole text."""

from contextlib import contextmanager
from itertools import product

import pytest
import torch
from looking.live.edit_runs import assert_one_pass
from looking.live.families import FAMILIES, MAIN, Family, model_of
from looking.live.runs import inputs, run
from looking.live.settings import CACHES, IMPLEMENTATIONS, MASKS, Setting, not_run

import regard
from regard.errors import RegardError

EDITS = ("hide", "off", "temperature", "set")
WRITERS = [name for name, family in MAIN.items() if family.writes]
HIDDEN = [1, 3, 10]  # tokens of the text; the last is written first, in a text without padding
ROWS = [2, 8, 10]


@contextmanager
def edited(model, family: Family, kind: str):
    """A model under an edit of some kind."""
    with regard.edit(model) as edit:
        if kind == "hide" and family.is_pair:
            edit.hide(source=[1, 3], target=[1, 5])
        elif kind == "hide":
            edit.hide(HIDDEN)
        elif kind == "off":
            edit.head("decoder.*", 1).off()
        elif kind == "temperature":
            edit.head("*", [0, 3]).temperature(3.0)
        else:
            rows = [2, 5] if family.is_pair else ROWS
            weights = torch.zeros(len(rows), max(rows) + 1)
            for number, row in enumerate(rows):
                weights[number, [row - 1, row]] = torch.tensor([0.75, 0.25])
            edit.head("decoder.1.self", [0, 2]).set(weights, rows=rows)
        yield edit


def check(name: str, setting: Setting, kind: str) -> None:
    """An edit with this cache equals the same edit in one pass; and it changes something."""
    family, model = FAMILIES[name], model_of(name, setting.implementation)
    with edited(model, family, kind) as edit:
        records = list(edit.records)
    assert assert_one_pass(model, family, setting, records) > 1e-3


def settings(family: Family, ways=("forward", "greedy"), implementations=IMPLEMENTATIONS) -> list[Setting]:
    """Every setting in which a text is read with a cache that does not round."""
    caches = [cache for cache in CACHES if cache not in ("no cache", "quantised")]
    every = (Setting(m, c, i, "all", w) for m, c, i, w in product(MASKS, caches, implementations, ways))
    return [setting for setting in every if not_run(family, setting) is None]


@pytest.mark.parametrize("kind", EDITS)
@pytest.mark.parametrize("name", WRITERS)
def test_an_edit_with_a_cache_equals_the_same_edit_in_one_pass(name, kind):
    for setting in settings(MAIN[name], ("greedy",), ("sdpa",))[EDITS.index(kind) :: len(EDITS)]:
        check(name, setting, kind)


@pytest.mark.proof
@pytest.mark.parametrize("kind", EDITS)
@pytest.mark.parametrize("name", WRITERS)
def test_so_it_does_in_every_setting(name, kind):
    for setting in settings(MAIN[name]):
        check(name, setting, kind)


@pytest.mark.parametrize("kind", EDITS)
@pytest.mark.parametrize("name", ["llama", "marian"])
def test_with_a_cache_that_rounds_both_implementations_edit_alike(name, kind):
    answers = []
    for implementation in ("sdpa", "eager"):
        model = model_of(name, implementation)
        with edited(model, FAMILIES[name], kind):
            setting = Setting("no mask", "quantised", implementation, "all", "greedy")
            answers.append(run(model, FAMILIES[name], setting))
    assert torch.equal(answers[0].tokens, answers[1].tokens)
    torch.testing.assert_close(answers[0].logits, answers[1].logits, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["llama", "gpt2", "gemma3_text", "mistral"])
def test_hiding_tokens_is_what_an_attention_mask_without_them_does(name):
    model, setting = model_of(name, "sdpa"), Setting("left", "no cache", "sdpa", "all", "forward")
    given = inputs(MAIN[name], setting)
    mask = given["attention_mask"].bool()
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    given["position_ids"] = positions
    hidden = ((positions == 1) | (positions == 3)) & mask
    with torch.no_grad():
        with regard.edit(model) as edit:
            edit.hide([1, 3])
            edited = model(**given).logits
        without = model(**given | {"attention_mask": (mask & ~hidden).long()}).logits
    torch.testing.assert_close(edited[mask], without[mask], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("cache", ["dynamic", "sliding", "static"])
def test_a_row_on_a_key_that_the_window_has_left_behind_is_an_error(cache):
    model, setting = model_of("mistral", "sdpa"), Setting("no mask", cache, "sdpa", "all", "greedy")
    weights = torch.zeros(1, 11)
    weights[0, 0] = 1
    with regard.edit(model) as edit:
        edit.head("decoder.1.self", 0).set(weights, rows=[10])
        with pytest.raises(RegardError, match=r"puts weight on key 0, which the (mask forbids|cache has dropped)"):
            run(model, MAIN["mistral"], setting)
