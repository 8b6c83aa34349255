"""Texts for zero, one and two layers: what tells the next word, and what does not."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from regard.text.synthetic.streams import ASK, SHARES, BigramTask, RepeatTask, SkipTrigramTask, followers


def lines(task, count=400):
    random = Random(1)
    return [task.draw(random, "train").split() for _ in range(count)]


def test_a_word_of_bigrams_is_followed_as_its_table_says():
    task = BigramTask(symbols=6, length=20)
    counts = Counter(pair for line in lines(task) for pair in pairwise(line[1:]))
    for word, after in followers(6).items():
        total = sum(counts[word, other] for other in after)
        assert total == sum(count for (first, _), count in counts.items() if first == word)
        for other, share in zip(after, SHARES, strict=True):
            assert counts[word, other] / total == pytest.approx(share, abs=4 * (share / total) ** 0.5)


def test_the_word_after_a_question_is_that_of_the_topic_and_topics_have_different_ones():
    task = SkipTrigramTask(symbols=24, length=20)
    answers: dict[str, set[str]] = {}
    for line in lines(task):
        answers.setdefault(line[1], set()).update(after for word, after in pairwise(line) if word == ASK)
    assert all(len(words) == 1 for words in answers.values() if words)
    assert len({next(iter(words)) for words in answers.values() if words}) == len(answers) == 24


def test_a_repeated_text_comes_back_after_another_time_in_each_line():
    periods = set()
    for line in lines(RepeatTask(symbols=12, length=20, min_period=4, max_period=7), 100):
        words = line[1:]
        period = words.index(words[0], 1)
        periods.add(period)
        assert len(set(words[:period])) == period
        assert all(words[place] == words[place - period] for place in range(period, 20))
    assert periods == {4, 5, 6, 7}


def test_all_lines_of_a_text_are_as_long():
    for task in (BigramTask(length=9), SkipTrigramTask(length=9), RepeatTask(length=9, max_period=8)):
        assert {len(line) for line in lines(task, 100)} == {10}
