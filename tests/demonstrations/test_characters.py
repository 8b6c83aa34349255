"""Characters against company, one head against several: examples/characters.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

characters = example("characters")


def test_one_of_the_choices_has_the_topic_of_the_query():
    words = torch.arange(characters.WORDS)[::2]
    query, shown, place = characters.choices(words, 300, torch.Generator().manual_seed(1))
    assert set(query.tolist()) | set(shown.flatten().tolist()) <= set(words.tolist())
    topics = characters.TOPIC_OF[shown]
    assert (topics == characters.TOPIC_OF[query][:, None]).sum(1).eq(1).all()
    right = shown.gather(1, place[:, None])[:, 0]
    assert characters.TOPIC_OF[right].equal(characters.TOPIC_OF[query])
    assert (right != query).all()


@pytest.mark.parametrize("seed", [1, 2])
def test_spelling_can_be_learned_by_heart_and_says_nothing_of_new_words(seed):
    table = characters.spelling_or_company(seed, steps=160)
    chance = 1 / characters.CHOICES
    plain, met, new = table["characters"]
    assert plain < chance + 0.05
    assert met > 0.6
    assert new < chance + 0.1
    assert min(table["learned from company"]) > 0.8


def test_items_asked_for_are_those_that_are_marked():
    markers, numbers, answers = characters.items(3, 20, torch.Generator().manual_seed(1))
    for row in range(20):
        for marker in (1, 2, 3):
            (place,) = (markers[row] == marker).nonzero()[:, 0].tolist()
            assert numbers[row, place].equal(answers[row, marker - 1])


@pytest.mark.parametrize("seed", [1, 2])
def test_a_mean_of_two_does_not_say_which_is_which_and_two_heads_do(seed):
    """Whoever knows the sum of two independent numbers knows half of each."""
    one, two = (characters.resolution(heads, 2, False, seed, steps=120) for heads in (1, 2))
    assert one < 0.65
    assert two > 0.85


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(characters, "--seeds", "1", "--steps", "2", "--chart", str(tmp_path / "chart.svg"))
    assert set(found["weight on the same topic"]) == {"characters", "learned from company"}
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
