"""Convolution, recurrence and attention on one task: examples/sequences.py."""

import pytest
import torch
from demonstrations.examples import example, run_json

sequences = example("sequences")
READERS = sequences.READERS


def test_two_bits_are_marked_where_it_says():
    sequence, differs = sequences.draw(200, torch.tensor([9]), torch.Generator().manual_seed(1))
    is_marked, bits = sequence >= 2, sequence % 2
    assert is_marked.sum(1).eq(2).all()
    assert is_marked[:, sequences.LENGTH - 10].all()
    assert is_marked[:, -sequences.LAST :].sum(1).eq(1).all()
    assert ((bits * is_marked).sum(1) % 2).equal(differs)


def test_readers_have_about_as_many_parameters():
    numbers = [sum(part.numel() for part in make().parameters()) for make in READERS.values()]
    assert max(numbers) < 1.1 * min(numbers)


@pytest.mark.parametrize(("name", "reach"), [("convolution, 3 layers of 3", 6), ("convolution, dilated", 63)])
def test_a_convolution_knows_nothing_beyond_its_reach(name, reach):
    torch.manual_seed(1)
    reader, sequence = READERS[name](), torch.randint(4, (1, sequences.LENGTH))
    last = sequences.LENGTH - 1
    for distance, matters in ((reach, True), (reach + 1, False)):
        if distance <= last:
            changed = sequence.clone()
            changed[0, last - distance] = (sequence[0, last - distance] + 1) % 4
            with torch.no_grad():
                assert torch.equal(reader(changed), reader(sequence)) != matters


@pytest.mark.parametrize("seed", [1, 2])
def test_one_head_gathers_what_no_line_separates_and_a_feed_forward_layer_separates_it(seed):
    """Means of two values lie on a line, with those of unequal bits between the others: a line gets three of four."""
    alone, lifted = (sequences.train(READERS[f"1 head by marks{how}"], seed, 150) for how in (" alone", ", then MLP"))
    assert sequences.accuracy(alone, 32, seed) < 0.82
    assert sequences.accuracy(lifted, 32, seed) > 0.95


def test_two_heads_need_no_feed_forward_layer():
    """A softmax that prefers ones says OR, one that prefers zeros AND, and their difference is the answer."""
    reader = sequences.train(READERS["attention, 2 heads alone"], 1, 250)
    assert sequences.accuracy(reader, 32, 1) > 0.95


def test_attention_does_not_mind_distance():
    torch.manual_seed(1)
    reader = READERS["attention, 2 heads alone"]()
    near, _ = sequences.draw(20, torch.tensor([5]), torch.Generator().manual_seed(1))
    far = torch.cat([near[:, -6:-5], near[:, :-6], near[:, -5:]], 1)  # the first marked bit moved to the front
    with torch.no_grad():
        torch.testing.assert_close(reader(far), reader(near))


def test_the_command_prints_what_was_measured(tmp_path):
    found = run_json(sequences, "--seeds", "1", "--steps", "2", "--chart", str(tmp_path / "chart.svg"))
    assert set(found["right"]) == set(READERS)
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
