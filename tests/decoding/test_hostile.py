"""What nobody should ask gets a defined answer or one clear line."""

import copy

import pytest
import torch
from decoding.test_together import END, START, asked, translator, writer
from decoding.toys import Table, sources

from regard.decoding import Constraints, Sampling, decode, serve_model, stream
from regard.errors import RegardError, ShapeError

__all__ = ["translator", "writer"]  # fixtures
WAYS = {"greedy": {}, "beam": {"beam": 4}, "sample": {"sampling": Sampling()}, "tree": {"tree": True}}
ways = pytest.mark.parametrize("told", WAYS.values(), ids=WAYS)


@ways
def test_a_vocabulary_of_one_has_one_text(told):
    source, prefix = sources(2)
    found = decode(Table.drawn(0, 1, 3, sources=2), source, prefix=prefix, max_new_tokens=3, **told)
    assert [[text.ids for text in one.hypotheses] for one in found] == [[(0, 0, 0)]] * 2
    ended = decode(
        Table.drawn(0, 1, 3),
        source[:1],
        prefix=prefix[:1],
        max_new_tokens=3,
        constraints=Constraints(ends=(0,)),
        **told,
    )
    assert [(text.ids, text.is_finished, text.score) for text in ended[0].hypotheses] == [((), True, 0.0)]


def test_a_beam_larger_than_the_vocabulary_holds_what_there_is():
    source, prefix = sources(1)
    (found,) = decode(Table.drawn(0, 2, 2), source, prefix=prefix, beam=50, num_hypotheses=50, max_new_tokens=2)
    assert len({text.ids for text in found.hypotheses}) == 4


@ways
def test_a_length_of_nothing_is_an_empty_text(told):
    source, prefix = sources(2)
    table = Table.drawn(0, 3, 3, sources=2)
    first, second = decode(table, source, prefix=prefix, max_new_tokens=[0, 2], **told)
    assert (first.best.ids, first.best.scores, first.best.is_finished) == ((), (), False)
    assert len(second.best.ids) == 2
    assert [one.best.ids for one in decode(table, source, prefix=prefix, max_new_tokens=0, **told)] == [(), ()]


@ways
def test_no_sources_have_no_answers(translator, told):
    nothing = torch.zeros(0, 4, dtype=torch.long)
    assert decode(translator, nothing, prefix=nothing[:, :1], max_new_tokens=3, **told) == []


@ways
@pytest.mark.parametrize("length", [0, 3], ids=["empty", "all padding"])
def test_a_source_of_nothing_is_answered(translator, told, length):
    source = torch.zeros(2, length, dtype=torch.long)
    prefix, attention_mask = torch.full((2, 1), START), torch.zeros(2, length, dtype=torch.bool)
    found = decode(translator, source, attention_mask=attention_mask, prefix=prefix, max_new_tokens=4, **told)
    assert found[0] == found[1]
    assert found[0].best.ids
    assert all(score <= 0 for score in found[0].best.scores)


@ways
def test_a_source_of_nothing_changes_nobody_else(translator, told):
    told = {"max_new_tokens": 5, "constraints": Constraints(ends=(END,))} | told
    some = decode(translator, **asked("translator", [0, 3, 1]), **told)
    alone = decode(translator, **asked("translator", [3]), **told)
    assert some[1].best.ids == alone[0].best.ids


@ways
@pytest.mark.parametrize("wrong", [torch.nan, torch.inf, -torch.inf])
def test_scores_that_are_no_numbers_are_said(told, wrong):
    source, prefix = sources(2)
    table = Table.drawn(0, 3, 3, sources=2)
    table.scores[1, 1:] = wrong
    with pytest.raises(RegardError, match=r"scores are not numbers \((nan|-?inf)\) after 1 tokens: its weights"):
        decode(table, source, prefix=prefix, max_new_tokens=3, **told)


@ways
def test_broken_weights_are_said(writer, told):
    broken = copy.deepcopy(writer)
    torch.nn.init.constant_(broken.decoder.stack.blocks[1].feed_forward.narrow.weight, torch.nan)
    with pytest.raises(RegardError, match="not numbers"):
        decode(broken, **asked("writer", [0]), max_new_tokens=2, **told)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"prefix": None}, "prefix is None: at least one token to begin with expected"),
        (
            {"prefix": torch.zeros(2, 0, dtype=torch.long)},
            r"prefix is of \(2, 0\): at least one token",
        ),
        ({"prefix": torch.zeros(3, 1, dtype=torch.long)}, "prefix has 3 rows, expected 2"),
        ({"max_new_tokens": [1]}, "max_new_tokens has 1 numbers, expected 2"),
        (
            {"attention_mask": torch.ones(2, 9, dtype=torch.bool)},
            r"attention_mask is of \(2, 9\), the tokens it is about of \(2, 1\)",
        ),
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_shapes_that_do_not_fit_are_said(told, message):
    source, prefix = sources(2)
    with pytest.raises(ShapeError, match=message):
        decode(Table.drawn(0, 2, 2, sources=2), source, **{"prefix": prefix, **told})
    with pytest.raises(ShapeError, match=message):
        stream(Table.drawn(0, 2, 2, sources=2), source, **{"prefix": prefix, **told})


def test_lengths_below_nothing_are_said():
    source, prefix = sources(1)
    with pytest.raises(RegardError, match="max_new_tokens is a whole number from 0 to 1000000, got -1"):
        decode(Table.drawn(0, 2, 2), source, prefix=prefix, max_new_tokens=-1)


def test_a_model_that_cannot_write_is_said():
    with pytest.raises(RegardError, match=r"Linear cannot write: it has no start\(\) and step\(\)"):
        serve_model(torch.nn.Linear(2, 2))
