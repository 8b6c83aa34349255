"""Beam search finds what trying everything finds, and does at every size what its definition says.

Also tests: decoding/beam_tree.py, decoding/coverage.py, decoding/hypothesis.py, decoding/single.py.
"""

import json
from dataclasses import dataclass

import numpy as np
import pytest
import torch
from decoding.toys import Table, sources
from hypothesis import given
from hypothesis import strategies as some
from models.test_transliteration import END as STOP
from models.test_transliteration import START, folder, items, model, numbered
from shapes_of_engine import WORDS, made

import regard
from regard.decoding import Beam, Constraints, decode
from regard.errors import RegardError

__all__ = ["model"]  # a fixture
END = 0
ENDS = Constraints(ends=(END,))


def best(table, beam, longest, count=1, rules=ENDS, **told):
    source, prefix = sources(count)
    return decode(table, source, prefix=prefix, beam=beam, max_new_tokens=longest, constraints=rules, **told)


@given(
    some.integers(0, 999),
    some.integers(1, 4),
    some.integers(1, 4),
    some.sampled_from([0.0, 0.6, 1.0, 2.0, -0.5]),
    some.booleans(),
)
def test_a_beam_that_holds_everything_finds_the_best_of_all_texts(seed, vocabulary, longest, penalty, stops):
    table = Table.drawn(seed, vocabulary, longest)
    size = vocabulary**longest
    (found,) = best(table, Beam(size, stops), longest, length_penalty=penalty, num_hypotheses=min(3, size))
    texts = [(score / len(text) ** penalty, text, score) for text, score in table.every_text(0, longest, END)]
    texts.sort(key=lambda each: -each[0])
    for one, (ranked, text, score) in zip(found.hypotheses, texts, strict=False):
        assert one.ids == tuple(token for token in text if token != END)
        assert one.rank_score == pytest.approx(ranked, abs=1e-4)
        assert one.score == pytest.approx(score, abs=1e-4)
        assert one.is_finished == (text[-1] == END)
    assert len(found.hypotheses) == min(3, size, len(texts))


@dataclass(order=True)
class Running:
    total: float
    ids: tuple


def plainly(table, source, size, longest, penalty, stops):
    """Beam search as its definition says it, one text after the other."""
    going, done = [Running(0.0, ())], []
    for written in range(1, longest + 1):
        following = [
            Running(one.total + table.log_probabilities(source, (*one.ids, token))[-1], (*one.ids, token))
            for one in going
            for token in range(table.vocabulary)
        ]
        following = sorted(following, reverse=True)[: 2 * size]
        over = [one for one in following[:size] if one.ids[-1] == END or written == longest]
        done += [(one.total / written**penalty, one.ids) for one in over]
        going = [one for one in following if one.ids[-1] != END][:size]
        done.sort(reverse=True)
        if not going or (stops and len(done) >= size):
            break
        length = longest if penalty > 0 else written + 1
        if not stops and done and done[0][0] >= max(one.total for one in going) / length**penalty:
            break
    return done[0]


@given(
    some.integers(0, 999),
    some.integers(1, 5),
    some.sampled_from([0.0, 1.0, 1.5]),
    some.booleans(),
    some.lists(some.integers(1, 5), min_size=1, max_size=4),
)
def test_every_size_does_what_the_definition_says_for_each_source_as_if_alone(seed, size, penalty, stops, longest):
    table = Table.drawn(seed, 4, 5, sources=len(longest))
    found = best(table, Beam(size, stops), longest, len(longest), length_penalty=penalty)
    for source, most in enumerate(longest):
        ranked, text = plainly(table, source, size, most, penalty, stops)
        if size == 1:  # no beam at all: the likeliest token, whatever follows
            break
        assert found[source].best.rank_score == pytest.approx(ranked, abs=1e-4)
        assert found[source].best.ids == tuple(token for token in text if token != END)


@given(some.integers(0, 999))
def test_a_beam_of_one_is_greedy(seed):
    table = Table.drawn(seed, 4, 5, sources=3)
    plain = best(table, 1, 5, 3)
    with_tree = best(table, 1, 5, 3, tree=True)
    assert [one.best.ids for one in plain] == [one.best.ids for one in with_tree]
    assert [one.best.rank_score for one in plain] == pytest.approx([one.best.rank_score for one in with_tree], abs=1e-5)


def test_without_early_stop_no_better_text_is_missed():
    table = Table.drawn(5, 5, 5, sources=40)
    stopped, whole = (best(table, Beam(2, stops), 5, 40) for stops in (True, False))
    assert all(one.best.rank_score >= two.best.rank_score - 1e-6 for one, two in zip(whole, stopped, strict=True))
    assert any(one.best.rank_score > two.best.rank_score for one, two in zip(whole, stopped, strict=True))


def test_finished_sources_leave_the_batch_with_all_their_beams():
    table = Table.drawn(0, 4, 5, sources=2)
    best(table, 3, [2, 5], 2, rules=Constraints())
    assert table.rows == [2, 6, 3, 3, 3]


def test_scores_are_log_probabilities_and_the_best_comes_first():
    table = Table.drawn(3, 5, 4)
    (found,) = best(table, 4, 4, num_hypotheses=4)
    assert len(found.hypotheses) == 4
    assert [one.rank_score for one in found.hypotheses] == sorted(
        (one.rank_score for one in found.hypotheses), reverse=True
    )
    for one in found.hypotheses:
        text = (*one.ids, END) if one.is_finished else one.ids
        assert one.scores == pytest.approx(table.log_probabilities(0, text), abs=1e-5)
        assert one.rank_score == pytest.approx(one.score / len(text))


def test_the_tree_holds_every_text_and_who_won():
    table = Table.drawn(3, 5, 4)
    (found,) = best(table, 3, 4, num_hypotheses=3, tree=True)
    tree = found.tree
    assert len(tree.leaves) == 3
    for one, leaf in zip(found.hypotheses, tree.leaves, strict=True):
        tokens = [tree.tokens[node] for node in tree.path(leaf)]
        assert tokens == [*one.ids, *([END] if one.is_finished else [])]
        assert tree.scores[leaf] == pytest.approx(one.score, abs=1e-5)
        assert [tree.scores[node] for node in tree.path(leaf)] == pytest.approx(np.cumsum(one.scores), abs=1e-5)
    assert tree.winner == tree.path(tree.leaves[0])
    assert best(table, 3, 4)[0].tree is None


@pytest.mark.parametrize("together", [True, False])
def test_hypotheses_and_scores_equal_those_of_ctranslate2(model, together):
    chosen = items()
    assert json.loads((folder() / "reference.json").read_text(encoding="utf-8"))["meta"]["length_penalty"] == 1
    rows = [numbered(item["source"], "source") for item in chosen]
    longest = max(map(len, rows))
    source = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    attention_mask = torch.tensor([[position < len(row) for position in range(longest)] for row in rows])
    prefix, told = (
        torch.full((len(rows), 1), START),
        {"beam": 4, "num_hypotheses": 4, "constraints": Constraints(ends=(STOP,))},
    )
    if together:
        found = decode(model, source, attention_mask=attention_mask, prefix=prefix, **told)
    else:
        chosen, rows = chosen[:4], rows[:4]
        found = [decode(model, torch.tensor([row]), prefix=prefix[:1], **told)[0] for row in rows]
    for item, row, one in zip(chosen, rows, found, strict=True):
        assert [text.ids for text in one.hypotheses] == [tuple(numbered(text, "target")) for text, _ in item["beam4"]]
        # The reference forbids an empty text, and gives the share of that to the others.
        with torch.no_grad():
            empty = model(torch.tensor([row]), torch.tensor([[START]])).log_softmax(-1)[0, 0, STOP].exp()
        shared = float(torch.log1p(-empty))
        ranked = [text.rank_score - shared / len(text.scores) for text in one.hypotheses]
        assert ranked == pytest.approx([score for _, score in item["beam4"]], abs=3e-6)
        assert [text.rank_score for text in one.hypotheses] == pytest.approx(ranked, abs=1e-4)


def test_coverage_prefers_texts_that_looked_everywhere():
    model, prefix = made("pre-norm", spread=0.6), torch.tensor([[1]])
    told = {"prefix": prefix, "num_hypotheses": 4, "max_new_tokens": 8, "constraints": ENDS}
    changed = 0
    for source in torch.randint(2, WORDS, (6, 1, 7)):
        plain = decode(model, source, beam=4, **told)[0].hypotheses
        found = decode(model, source, beam=Beam(4, coverage_penalty=3.0), **told)[0].hypotheses
        assert {one.ids for one in plain} == {one.ids for one in found}
        for one in found:
            target = torch.tensor([[1, *one.ids, *([END] if one.is_finished else [])]])[:, :-1]
            with torch.no_grad(), regard.watch(model, "decoder.1.cross") as seen:
                model(source, target)
            looked = seen["decoder.1.cross"].weights().mean(1).sum(1).clamp(max=1).log().sum()
            (before,) = [other.rank_score for other in plain if other.ids == one.ids]
            assert one.rank_score == pytest.approx(before + 3.0 * float(looked), abs=1e-4)
        changed += plain[0].ids != found[0].ids
    assert changed
    assert not model.decoder.stack.blocks[1].cross.taps


def test_coverage_needs_a_source():
    with pytest.raises(RegardError, match="coverage is of a source that is looked at, and Table looks at none"):
        best(Table.drawn(0, 3, 3), Beam(2, coverage_penalty=0.1), 3)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"beam": 0}, "beam is a whole number from 1 to 1000, got 0"),
        ({"beam": 2, "num_hypotheses": 3}, "num_hypotheses is a whole number from 1 to 2, got 3 of a beam of 2"),
        ({"beam": 2, "num_hypotheses": 0}, "num_hypotheses is a whole number from 1 to 2, got 0"),
    ],
)
def test_what_cannot_be_asked_is_said(told, message):
    with pytest.raises(RegardError, match=message):
        best(Table.drawn(0, 3, 3), longest=3, **told)
