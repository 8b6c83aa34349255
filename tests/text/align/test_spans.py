"""Spans are carried along an alignment, and none of them cross."""

import random

import numpy as np

from regard.text.align.spans import Span, carry_spans


def looks(*partners, source):
    """Each target word looks at one source word, or at none."""
    found = np.zeros((len(partners), source))
    for row, partner in enumerate(partners):
        if partner is not None:
            found[row, partner] = 1.0
    return found


def test_a_span_goes_where_its_words_went():
    swapped = looks(2, 3, 0, 1, source=4)
    assert carry_spans([Span(0, 2), Span(2, 4)], swapped) == [(2, 4), (0, 2)]
    assert carry_spans([Span(0, 4)], looks(0, 1, 2, source=4)) == [(0, 3)]  # what held everything still does


def test_one_word_that_looks_away_does_not_stretch_a_span():
    assert carry_spans([Span(0, 3)], looks(0, 1, 2, 3, 4, 5, 0, source=6)) == [(0, 3)]
    assert carry_spans([Span(0, 3)], looks(0, None, 2, 3, 4, source=6)) == [(0, 3)]


def test_a_word_that_nobody_looks_at_most_has_the_one_that_does_so_more_than_others():
    weights = np.array([[0.9, 0.1, 0.0], [0.5, 0.4, 0.1], [0.0, 0.2, 0.8]])
    assert carry_spans([Span(1, 2)], weights) == [(1, 2)]


def test_a_gap_between_words_follows_the_word_after_it():
    swapped = looks(2, 3, 0, 1, source=4)
    assert carry_spans([Span(2, 2)], swapped) == [(0, 0)]
    assert carry_spans([Span(1, 1)], swapped) == [(3, 3)]
    assert carry_spans([Span(4, 4)], looks(0, 1, source=4)) == [(2, 2)]
    assert carry_spans([Span(0, 0)], looks(None, None, source=1)) == [(0, 0)]


def test_whatever_the_alignment_spans_are_nested_and_none_cross():
    for seed in range(300):
        random_ = random.Random(seed)
        source, target = random_.randint(0, 8), random_.randint(0, 8)
        spans = nested(random_, source)
        weights = np.random.default_rng(seed).random((target, source)) ** 4
        found = carry_spans(spans, weights)
        assert len(found) == len(spans)
        for number, span in enumerate(spans):
            first, last = found[number]
            outer = found[span.parent] if span.parent >= 0 else (0, target)
            assert outer[0] <= first <= last <= outer[1]
            for other in range(number):
                if spans[other].parent == span.parent:
                    assert found[other][1] <= first or last <= found[other][0]


def nested(random_, size, most=8):
    """Spans within spans, some empty, in the order in which they begin."""
    spans = []

    def inside(first, last, parent):
        at = first
        while at <= last and len(spans) < most and random_.random() < 0.7:
            begin = random_.randint(at, last)
            end = random_.randint(begin, last)
            spans.append(Span(begin, end, parent))
            inside(begin, end, len(spans) - 1)
            at = end + (begin == end)

    inside(0, size, -1)
    return spans
