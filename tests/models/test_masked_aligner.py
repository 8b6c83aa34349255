"""Two directions that guess words see all words but the one they guess, and come to look at each other's.

Also tests: families/masked_aligner.py, training/objectives/align.py.
"""

import numpy as np
import pytest
import torch

from regard.families import FAMILIES
from regard.families.masked_aligner import config
from regard.families.sizes import Sizes
from regard.models import MaskedAligner, build
from regard.training.model.initial import initialise
from regard.training.objectives.align import AlignmentObjective, entropy, pair_mask

WORDS = 12


@pytest.fixture
def model():
    torch.manual_seed(0)
    made = build(FAMILIES["masked-aligner"].example().config).eval()
    initialise(made, 1)
    return made


def test_a_word_is_guessed_without_being_seen(model):
    source, target = torch.tensor([[5, 6, 7]]), torch.tensor([[8, 9, 10, 11]])
    other = target.clone()
    other[0, 2] = 30
    with torch.no_grad():
        before, after = model.there(source, target), model.there(source, other)
    assert torch.equal(before.x[0, 2], after.x[0, 2])
    assert torch.equal(before.weights[0, 2], after.weights[0, 2])
    assert not torch.allclose(before.x[0, 1], after.x[0, 1])


def test_a_look_leaves_a_share_for_nothing(model):
    with torch.no_grad():
        there, back = model(torch.tensor([[5, 6, 7]]), torch.tensor([[8, 9]]))
    assert there.weights.shape == (1, 2, 3)
    assert back.weights.shape == (1, 3, 2)
    for weights in (there.weights, back.weights):
        assert (weights.sum(-1) < 1).all()
        assert (weights > 0).all()


def test_padding_changes_nothing(model):
    source, target = torch.tensor([[5, 6, 7]]), torch.tensor([[8, 9]])
    padded, padded_target = torch.tensor([[5, 6, 7, 0, 0]]), torch.tensor([[8, 9, 0]])
    masks = {"attention_mask": padded != 0, "target_attention_mask": padded_target != 0}
    with torch.no_grad():
        alone, beside = model.agreement(source, target), model.agreement(padded, padded_target, **masks)
    torch.testing.assert_close(beside[:, :2, :3], alone, atol=1e-6, rtol=1e-5)


def test_both_directions_and_the_output_have_one_table(model):
    tables = [model.there.encoder.embedding.table, model.there.embedding.table, model.back.encoder.embedding.table]
    assert len({id(table) for table in (*tables, model.back.embedding.table)}) == 1
    assert model.there.output.weight is model.back.output.weight is tables[0].weight


def test_the_entropy_is_of_the_weights_that_are_of_words():
    weights = torch.tensor([[[0.5, 0.5, 0.0], [1.0, 0.0, 0.7]]], requires_grad=True)
    is_pair = pair_mask(weights, torch.tensor([[True, True]]), torch.tensor([[True, True, False]]))
    shares = torch.tensor([1.05, 0.05]) / 1.1
    expected = np.log(2) - float((shares * shares.log()).sum())
    value = entropy(weights, is_pair)
    assert value.item() == pytest.approx(expected, abs=1e-5)
    value.backward()
    assert weights.grad.isfinite().all()


def pair(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, set[tuple[int, int]]]:
    """Words 2, 3, … become 14, 15, … in another order; a word 26 of the target has no partner."""
    size = int(generator.integers(3, 7))
    source = generator.choice(np.arange(2, 2 + WORDS), size, replace=False)
    order = generator.permutation(size)
    target = [int(source[at]) + WORDS for at in order]
    place = int(generator.integers(0, size + 1))
    target.insert(place, 2 + 2 * WORDS)
    links = {(number + (number >= place), int(at)) for number, at in enumerate(order)}
    return np.array([*source, 1]), np.array([*target, 1]), links


@pytest.mark.proof
def test_two_directions_find_which_words_belong_together():
    generator = np.random.default_rng(1)
    sizes = Sizes(2 + 2 * WORDS + 1, 1, 32, 2, 64, "relu", dropout=0.0, attention_dropout=0.0, embedding_dropout=0.0)
    model = build(config(sizes, 2))
    assert isinstance(model, MaskedAligner)
    initialise(model, 1)
    objective = AlignmentObjective(pad=0)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(250):
        batch = objective.batch([pair(generator)[:2] for _ in range(32)], torch.Generator())
        optimiser.zero_grad()
        (objective.loss(model, batch).total / batch.count).backward()
        optimiser.step()
    right = wrong = missing = 0
    for _ in range(50):
        source, target, links = pair(generator)
        with torch.no_grad():
            agreement = model.agreement(torch.tensor(source[None, :-1]), torch.tensor(target[None, :-1]))[0]
        predicted = {tuple(link) for link in (agreement > 0.2).nonzero().tolist()}
        right, wrong, missing = (
            right + len(predicted & links),
            wrong + len(predicted - links),
            missing + len(links - predicted),
        )
    assert right / (right + (wrong + missing) / 2) > 0.9, (right, wrong, missing)
