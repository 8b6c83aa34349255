"""The likeliest token, step by step. Also tests: decoding/top.py."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as some

from regard.decoding import Constraints, greedy
from regard.errors import ShapeError

END = 9


class Chain:
    """A model whose next token is the last one plus the source's number, until a sum of `stop`."""

    def __init__(self, stop=100):
        self.stop, self.rows = stop, []

    def start(self, source, attention_mask=None):
        return Known(source[:, 0])

    def step(self, state, tokens, attention_mask=None):
        self.rows.append(len(tokens))
        following = tokens[:, -1] + state.add
        following = torch.where(following >= self.stop, END, following % 9)
        return torch.nn.functional.one_hot(following, 12)[:, None].float() * 9, state


class Known:
    def __init__(self, add):
        self.add = add

    def select(self, rows):
        return Known(self.add[rows])


def run(source, longest, rules=Constraints(ends=(END,)), model=None):
    source = torch.tensor(source)[:, None]
    return greedy(model or Chain(), source, torch.zeros_like(source), max_new_tokens=longest, constraints=rules)


@given(some.lists(some.tuples(some.integers(1, 8), some.integers(0, 7)), min_size=1, max_size=6))
def test_each_text_is_written_as_if_alone(rows):
    numbers, longest = zip(*rows, strict=True)
    together = run(list(numbers), list(longest), model=Chain(stop=12))
    alone = [run([number], [most], model=Chain(stop=12))[0] for number, most in rows]
    assert [one.ids for one in together] == [one.ids for one in alone]
    assert [one.is_finished for one in together] == [one.is_finished for one in alone]


def test_finished_texts_leave_the_batch():
    model = Chain()
    found = run([1, 2, 3], [5, 1, 3], model=model)
    assert [len(one.ids) for one in found] == [5, 1, 3]
    assert model.rows == [3, 2, 2, 1, 1]


def test_an_end_is_not_part_of_the_text_but_of_its_score():
    (found,) = run([6], [9], model=Chain(stop=10))
    assert found.ids == (6,)
    assert found.is_finished
    assert len(found.scores) == 2
    assert found.score == pytest.approx(sum(found.scores))
    assert -1e-2 < found.score < 0


def test_an_end_that_comes_too_early_is_not_written():
    (found,) = run([6], [4], Constraints(ends=(END,), min_new_tokens=3), Chain(stop=10))
    assert len(found.ids) >= 3
    assert END not in found.ids


def test_tokens_are_forced_at_the_beginning_and_at_the_longest_length():
    first, second = run([1, 1], [3, 5], Constraints(ends=(END,), first=7, last=END))
    assert first.ids == (7, 8)
    assert second.ids == (7, 8, 0, 1)
    assert first.is_finished
    assert first.scores[0] == first.scores[-1] == 0


def test_banned_tokens_are_never_written():
    (found,) = run([1], [6], Constraints(banned=(1, 2)))
    assert not {1, 2} & set(found.ids)


def test_lengths_are_given_for_every_text():
    with pytest.raises(ShapeError, match="has 1 numbers, expected 2"):
        run([1, 2], [3])
