"""Syntax in heads: examples/syntax.py."""

import random

import pytest
import torch
from demonstrations.examples import example, run_json

import regard

syntax = example("syntax")


def made(count, seed=1):
    draw = random.Random(seed)
    return [syntax.sentence(draw) for _ in range(count)]


@pytest.fixture(scope="module")
def task():
    return regard.load("en-de")


@pytest.fixture(scope="module")
def reads(task):
    return [syntax.read(task, words) for words in made(80)]


def test_a_parse_is_a_tree_whose_root_is_the_verb():
    for words in made(100):
        (verb,) = (number for number, word in enumerate(words) if word.tag == "verb")
        for number, word in enumerate(words):
            if word.tag == "sign" or number == verb:
                assert word.head is None
                continue
            seen = set()
            while number != verb:
                assert number not in seen
                seen.add(number)
                number = words[number].head
        heads = {
            "determiner": "noun",
            "adjective": "noun",
            "subject": "verb",
            "object": "verb",
            "preposition": "preposition",
        }
        for word in words:
            if word.relation in heads:
                assert words[word.head].tag == heads[word.relation]
            if word.relation == "place":
                assert words[word.head].tag in ("noun", "verb")


def test_weights_of_words_sum_to_one(reads):
    for one in reads[:10]:
        torch.testing.assert_close(one.weights.sum(-1), torch.ones(one.weights.shape[:-1]))
        assert one.weights.shape[-1] == len(one.words) + 1


def test_heads_made_of_a_parse_are_found_and_even_weights_find_nothing(reads):
    """One head looks from every word at its head, the others at all words alike."""
    planted = []
    for one in reads:
        weights = torch.full((2, 2, len(one.words), len(one.words) + 1), 0.1)
        for number, word in enumerate(one.words):
            if word.head is not None:
                weights[1, 0, number, word.head] = 0.9
        planted.append(one._replace(weights=weights))
    table = syntax.relations(planted[:40], planted[40:])
    for relation in ("determiner", "adjective", "subject", "object", "preposition", "place"):
        found = table[f"{relation} → its head"]
        assert found.head == "1.0"
        assert found.head_right == 1
    assert table["head → its object"].head_right < 0.5


def test_an_offset_is_right_as_often_as_it_occurs(reads):
    table = syntax.relations(reads[:40], reads[40:])
    for name, found in table.items():
        cases = [(start, end) for one in reads[40:] for asked, start, end in syntax.pairs(one.words) if asked == name]
        if name.endswith("its head"):
            right = sum(end - start == found.offset for start, end in cases)
            assert found.offset_right == pytest.approx(right / found.cases)


def test_a_head_knows_determiners_better_than_any_offset(reads):
    found = syntax.relations(reads[:40], reads[40:])["determiner → its head"]
    assert found.head_right > found.offset_right + 0.15


def test_upper_layers_know_whether_a_word_is_a_noun_or_a_verb(task, reads):
    known = syntax.probes(task, reads)["noun or verb"]
    assert known[0] == pytest.approx(0.5, abs=0.15)  # the embedding has one vector for both
    assert known[-1] > known[0] + 0.2


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(syntax, "--sentences", "10", "--chart", str(tmp_path / "chart.svg"))
    assert sum(row[-1] for row in found["looked at"].values()) == pytest.approx(1, abs=1e-4)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
