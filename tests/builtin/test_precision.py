"""Smaller weights cost little: BLEU in float16 and int8, beside what CTranslate2's int8 costs."""

import pytest
from builtin.peers import ctranslate2
from builtin.shipped import DIRECTIONS, bleu, folder, pairs, translations

pytestmark = [pytest.mark.proof, pytest.mark.parametrize("name", DIRECTIONS)]


def ours(name, precision):
    return bleu([one.text for one in translations(name, 4, precision)], pairs(name)[1])


def test_the_translator_reaches_what_it_should(name):
    folder(name)
    reached = ours(name, "float32")
    print(f"{name}: BLEU {reached:.2f}")
    assert reached >= 39


def test_half_costs_a_tenth_of_a_point(name):
    folder(name)
    lost = ours(name, "float32") - ours(name, "float16")
    print(f"{name}: float16 loses {lost:.3f}")
    assert lost <= 0.1


def test_eight_bits_cost_half_a_point_and_no_more_than_with_ctranslate2(name):
    folder(name)
    lost = ours(name, "float32") - ours(name, "int8")
    theirs = [bleu(ctranslate2(name, precision), pairs(name)[1]) for precision in ("float32", "int8")]
    print(f"{name}: int8 loses {lost:.3f}; CTranslate2's {theirs[0] - theirs[1]:.3f}, from {theirs[0]:.2f}")
    assert lost <= 0.5
    assert lost <= theirs[0] - theirs[1]
