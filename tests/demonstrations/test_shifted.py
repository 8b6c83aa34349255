"""A sentence that moves: examples/shifted.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

shifted = example("shifted")
CHANCE = 1 / shifted.KIND


def test_a_sentence_says_what_its_labels_say():
    text, verbs, subjects = shifted.sentences(50, torch.tensor([3]), torch.Generator().manual_seed(1))
    assert text[:, 6].equal(verbs + shifted.VERB)
    assert text[:, 5].equal(subjects + shifted.NOUN)
    outside = torch.cat([text[:, :3], text[:, 10:]], 1)
    assert (outside >= shifted.FILLER).all()


def test_strengths_by_word_are_the_same_wherever_the_sentence_stands():
    for place in (0, 5, 17):
        assert shifted.accuracy(shifted.word_by_hand, place, shifted.WHOLE, 1) == {"verb": 1, "subject": 1}
    assert shifted.accuracy(shifted.word_by_hand, 4, shifted.BARE, 1) == {"verb": 1, "subject": 1}
    at_home = shifted.accuracy(shifted.place_by_hand, shifted.HOME, shifted.WHOLE, 1)
    moved = shifted.accuracy(shifted.place_by_hand, shifted.HOME + 1, shifted.WHOLE, 1)
    assert at_home == {"verb": 1, "subject": 1}
    assert max(moved.values()) < CHANCE + 0.1


@pytest.mark.parametrize("seed", [1, 2])
def test_a_dense_layer_is_lost_where_attention_is_not(seed):
    dense = shifted.train(*shifted.LEARNERS["by place, learned: dense"], seed, 40)
    attention = shifted.train(*shifted.LEARNERS["attention, distances"], seed, 60)
    shares = {
        name: [shifted.accuracy(reader, shifted.HOME + shift, shifted.WHOLE, seed)["verb"] for shift in (0, 4)]
        for name, reader in (("dense", dense), ("attention", attention))
    }
    assert shares["dense"][0] > 0.9
    assert shares["dense"][1] < CHANCE + 0.15
    assert min(shares["attention"]) > 0.8


def test_only_positions_tell_the_subject_from_the_object():
    """A set of words does not say which of two nouns came first."""
    text, _, _ = shifted.sentences(8, shifted.HOMES, torch.Generator().manual_seed(1))
    subject, object_ = shifted.HOME + 2, shifted.HOME + 6
    swapped = text.clone()
    swapped[:, [subject, object_]] = text[:, [object_, subject]]
    torch.manual_seed(1)
    for name, is_blind in (("attention, no positions", True), ("attention, distances", False)):
        reader = shifted.LEARNERS[name][0]()
        with torch.no_grad():
            change = (reader(text)[1] - reader(swapped)[1]).abs().max()
        assert (change < 1e-5) == is_blind


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(shifted, "--seeds", "1", "--steps", "2", "--chart", str(tmp_path / "chart.svg"))
    assert set(found["shares"]) == {*shifted.BY_HAND, *shifted.LEARNERS}
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
