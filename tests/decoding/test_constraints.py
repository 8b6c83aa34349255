"""What may be written, held to a slow reading of each rule.

Also tests: decoding/candidates.py.
"""

import pytest
import torch
from decoding.toys import Table, sources
from hypothesis import given
from hypothesis import strategies as some

from regard.decoding import Constraints, Sampling, decode
from regard.errors import RegardError

END, VOCABULARY, LONGEST, COUNT = 0, 4, 5, 6
WAYS = {
    "greedy": {},
    "beam": {"beam": 3, "num_hypotheses": 3},
    "sample": {"sampling": Sampling(seed=tuple(range(COUNT)))},
}

drawn = some.fixed_dictionaries(
    {
        "ends": some.just((END,)),
        "banned": some.sampled_from([(), (1,), (1, 99)]),
        "banned_first": some.sampled_from([(), (END, 2)]),
        "min_new_tokens": some.integers(0, 4),
        "phrases": some.sampled_from([(), ((2, 3),), ((2,), (3, 3)), ((3, 2, 3), (1, 1))]),
        "allowed": some.sampled_from([None, (1, 2, 3), (2, 3)]),
        "no_repeat": some.integers(0, 3),
    }
)


def texts(way, rules, seed):
    table, (source, prefix) = Table.drawn(seed, VOCABULARY, LONGEST, sources=COUNT), sources(COUNT)
    found = decode(table, source, prefix=prefix + 3, max_new_tokens=LONGEST, constraints=rules, **WAYS[way])
    return table, [(row, text) for row, one in enumerate(found) for text in one.hypotheses]


def obeys(ids, rules, is_finished):
    """Whether a text that began with token 3 keeps the rules."""
    whole = (3, *ids)
    forbidden = {*rules.banned, *(phrase[0] for phrase in rules.phrases if len(phrase) == 1)}
    short = is_finished and len(ids) < rules.min_new_tokens
    begin = (ids + ((END,) if is_finished else ()))[:1]
    runs = [whole[n : n + rules.no_repeat] for n in range(len(whole) - rules.no_repeat + 1)] if rules.no_repeat else []
    spoken = any(
        whole[n : n + len(phrase)] == phrase for phrase in rules.phrases if len(phrase) > 1 for n in range(len(whole))
    )
    outside = rules.allowed is not None and set(ids) - set(rules.allowed)
    again = len(runs) > len(set(runs))
    return not (forbidden & set(ids) or short or set(begin) & set(rules.banned_first) or spoken or outside or again)


@pytest.mark.parametrize("way", WAYS)
@given(told=drawn, seed=some.integers(0, 99))
def test_every_text_keeps_the_rules_and_has_the_scores_of_the_model(way, told, seed):
    rules = Constraints(**told)
    table, found = texts(way, rules, seed)
    for row, text in found:
        assert obeys(text.ids, rules, text.is_finished)
        told = table.log_probabilities(row, text.ids + ((END,) if text.is_finished else ()))
        assert text.scores == pytest.approx(told, abs=1e-4)


@given(seed=some.integers(0, 99), told=drawn)
def test_of_the_texts_that_keep_the_rules_a_wide_beam_finds_the_best(seed, told):
    rules = Constraints(**told)
    table, (source, prefix) = Table.drawn(seed, VOCABULARY, 3), sources(1)
    (found,) = decode(
        table, source, prefix=prefix + 3, max_new_tokens=3, constraints=rules, beam=64, length_penalty=0.0
    )
    possible = []
    for text, score in table.every_text(0, 3, END):
        ids = tuple(token for token in text if token != END)
        if obeys(ids, rules, text[-1] == END):
            possible.append((score, ids))
    if possible:
        assert (found.best.score, found.best.ids) == (pytest.approx(max(possible)[0], abs=1e-4), max(possible)[1])
    else:
        assert found.best.ids == ()


@pytest.mark.parametrize("way", WAYS)
def test_many_bans_are_as_good_as_few(way):
    few = Constraints(ends=(END,), banned=(1,))
    many = Constraints(ends=(END,), banned=(1, *range(100, 200)))
    assert texts(way, few, 3)[1] == texts(way, many, 3)[1]


@pytest.mark.parametrize("way", WAYS)
def test_forced_tokens_stand_where_they_must_and_are_certain(way):
    _, found = texts(way, Constraints(ends=(END,), first=2, last=END, min_new_tokens=3), 1)
    for _, text in found:
        assert text.ids[0] == 2
        assert text.scores[0] == 0
        assert text.is_finished
        assert len(text.scores) < LONGEST or text.scores[-1] == 0


@pytest.mark.parametrize("way", WAYS)
def test_where_nothing_may_be_written_a_text_stops(way):
    _, found = texts(way, Constraints(ends=(END,), allowed=(1, 2), no_repeat=1, min_new_tokens=9), 1)
    assert all(sorted(text.ids) == [1, 2][: len(text.ids)] or set(text.ids) <= {1, 2} for _, text in found)
    assert not any(text.is_finished for _, text in found)
    assert all(len(text.ids) <= 2 for _, text in found)


def test_padding_of_a_prompt_is_nothing_that_was_said():
    table, (source, _) = Table.drawn(0, VOCABULARY, 3), sources(1)
    rules = Constraints(no_repeat=1, repetition_penalty=1.3)
    alone = decode(table, source, prefix=torch.tensor([[3]]), max_new_tokens=3, constraints=rules, beam=2)
    attention_mask = torch.tensor([[False, True, False]])
    padded = decode(
        table,
        source,
        prefix=torch.tensor([[1, 3, 2]]),
        prefix_attention_mask=attention_mask,
        max_new_tokens=3,
        constraints=rules,
        beam=2,
    )
    assert alone == padded


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"no_repeat": -1}, "no_repeat is a whole number from 0 to 1000000, got -1"),
        ({"repetition_penalty": 0.0}, "repetition_penalty is a number from 0.01 to 100, got 0.0"),
        ({"phrases": ((),)}, "phrases have at least one token each, got an empty one"),
    ],
)
def test_what_is_no_rule_is_said(told, message):
    with pytest.raises(RegardError, match=message):
        Constraints(**told)


@pytest.mark.parametrize("way", WAYS)
def test_a_forced_token_that_does_not_exist_is_said(way):
    with pytest.raises(RegardError, match="token 4 is forced, and the vocabulary has 4"):
        texts(way, Constraints(first=4), 0)
