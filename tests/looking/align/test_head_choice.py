"""Heads are found by what they do: one that aligns among others that do not, whoever knows the truth."""

import random

import pytest
import torch

from regard.errors import RegardError
from regard.looking.align import (
    AlignmentHead,
    AlignmentHeads,
    Gold,
    by_anchors,
    by_gold,
    by_links,
    choose,
    choose_both,
    swap_links,
)
from regard.looking.align.head_choice import anchors

NAMES = ("Tom", "Mary", "3", ".", "2026", "Boston")


def lines(count=30, seed=0):
    """Pairs of sentences of made-up words, and which words belong together: each to one, in another order."""
    random_ = random.Random(seed)
    pairs, truth = [], []
    for _ in range(count):
        size = random_.randint(4, 9)
        order = list(range(size))
        for at in range(size - 1):
            if random_.random() < 0.3:
                order[at], order[at + 1] = order[at + 1], order[at]
        named = random_.sample(range(size), 2)
        source = [random_.choice(NAMES) if at in named else f"s{random_.randint(0, 99)}" for at in range(size)]
        target = [source[at] if at in named else f"t{random_.randint(0, 99)}" for at in order]
        pairs.append((source, target))
        truth.append(frozenset((at, position) for position, at in enumerate(order)))
    return pairs, truth


def looking(truth, size, noise=0.0, seed=0):
    """Looks that follow the truth, more or less."""
    generator = torch.Generator().manual_seed(seed)
    weights = noise * torch.rand(size, size, generator=generator)
    for source, target in truth:
        weights[target, source] += 1
    return weights / weights.sum(-1, keepdim=True)


def made_heads(pairs, truth, good, late=False, turn=False):
    """A head that aligns, and others: by position, at the full stop, a step late, at random."""
    found = {}
    for line, ((source, _), links) in enumerate(zip(pairs, truth, strict=True)):
        size = len(source)
        links = swap_links(links) if turn else links
        right = looking(links, size, 0.8, seed=line)
        step_late = torch.cat([right[:1], right[:-1]])
        last = torch.full((size, size), 0.1)
        last[:, -1] = 1
        heads = {
            good: right,
            AlignmentHead("cross", 1): torch.eye(size).roll(1, 0),
            AlignmentHead("cross", 2): last,
            AlignmentHead("cross", 3): torch.rand(size, size, generator=torch.Generator().manual_seed(line)),
            AlignmentHead("cross", 4, shifted=not good.shifted): step_late,
        }
        for part, weights in heads.items():
            found.setdefault(part, []).append(weights.numpy())
    return found


def test_gold_lines_find_it():
    pairs, truth = lines()
    good = AlignmentHead("cross", 0)
    choice = choose(made_heads(pairs, truth, good), by_gold([Gold(one, one) for one in truth]))
    assert choice.ranking[0][0] == good
    assert choice.heads.heads[0].head == 0
    assert choice.error <= choice.ranking[0][1] < 0.3
    assert [error for _, error in choice.ranking] == sorted(error for _, error in choice.ranking)
    assert len(choice.ranking) == 5


def test_words_spelled_alike_find_it():
    pairs, truth = lines()
    good = AlignmentHead("cross", 0, shifted=True)
    choice = choose(made_heads(pairs, truth, good), by_anchors(pairs), mix=False)
    assert choice.heads == AlignmentHeads((good,))


def test_the_other_direction_finds_both():
    pairs, truth = lines()
    one, two = AlignmentHead("cross", 0), AlignmentHead("cross", 0, shifted=True)
    found, other = choose_both(made_heads(pairs, truth, one), made_heads(pairs, truth, two, turn=True), mix=False)
    assert found.heads == AlignmentHeads((one,))
    assert other.heads == AlignmentHeads((two,))


def test_a_mix_of_two_that_are_half_right_is_better_than_either():
    pairs, truth = lines()
    halves = {AlignmentHead("cross", 0): [], AlignmentHead("cross", 1): []}
    for (source, _), links in zip(pairs, truth, strict=True):
        for head, lines_of in enumerate(halves.values()):
            half = {link for link in links if link[1] % 2 == head}
            lines_of.append(looking(half, len(source), 0.2, seed=head).nan_to_num().numpy())
    alone = choose(halves, by_links(truth), mix=False)
    mixed = choose(halves, by_links(truth))
    assert mixed.error < alone.error
    assert {part.head for part in mixed.heads.heads} == {0, 1}


def test_anchors_stand_once_on_each_side():
    assert anchors(["a", "Tom", ",", "3", "c", "."], [".", "3", "Tom", "c", ",", "c"]) == {(1, 2), (3, 1)}
    with pytest.raises(RegardError, match="no word stands on both sides"):
        by_anchors([(["a"], ["b"]), (["c", "c"], ["c"])])
    with pytest.raises(RegardError, match="no head to choose from"):
        choose({}, by_links([]))
