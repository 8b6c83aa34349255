"""Every objective, over the table: what a batch is, and how wrong a model is about it.

Also tests: training/objectives/answer.py, training/objectives/classify.py, training/objectives/masked.py,
training/objectives/next_token.py, training/objectives/objective.py, training/objectives/tag.py,
training/objectives/translate.py.
"""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from regard.families import RECIPES
from regard.families.recipe import DataSizes, ModelRecipe
from regard.models import build
from regard.training.model.initial import initialise
from regard.training.model.model_plans import model_plan
from regard.training.objectives import (
    OBJECTIVES,
    MaskedObjective,
    NextTokenObjective,
    TranslationObjective,
)

WORDS, PAD, MASK = 40, 0, 3


def model(kind, family="", sizes=DataSizes(WORDS)):
    recipe = ModelRecipe(kind=kind, family=family, width=16, heads=2, layers=(1,), dropout=0.0, max_positions=64)
    network = build(model_plan(recipe, sizes).config)
    initialise(network, seed=1)
    return network.double().eval()


def texts(count, columns=1, longest=9):
    draw = np.random.default_rng(count)
    return [tuple(draw.integers(5, WORDS, draw.integers(2, longest)) for _ in range(columns)) for _ in range(count)]


def random():
    return torch.Generator().manual_seed(0)


def masked(**changes):
    return MaskedObjective(mask=MASK, frame=(1, 2), vocabulary=WORDS, special=[0, 1, 2, 3, 4], pad=PAD, **changes)


TASKS = [(name, kind) for name, objective in OBJECTIVES.items() for kind in objective.kinds]
"""Each objective, for each kind of model that it says it is for."""


def is_random(objective, rows):
    """Whether what is learned from a text is drawn anew each time."""
    batches = [objective.batch(rows, torch.Generator().manual_seed(seed)) for seed in range(5)]
    first, *others = [[part for part in vars(batch).values() if isinstance(part, torch.Tensor)] for batch in batches]
    return any(not torch.equal(*parts) for other in others for parts in zip(first, other, strict=True))


@pytest.mark.parametrize(("name", "kind"), TASKS)
def test_a_batch_is_as_wrong_as_its_texts_one_by_one(name, kind):
    example = OBJECTIVES[name].example(kind)
    objective, rows, network = example.objective, example.rows, model(kind, sizes=example.sizes)
    batch = objective.batch(rows, random())
    whole = objective.loss(network, batch)
    assert 0 < batch.count <= batch.tokens
    assert torch.equal(whole.total, objective.loss(network, objective.batch(rows, random())).total)
    if not is_random(objective, rows):
        batches = [objective.batch([row], random()) for row in rows]
        alone = [objective.loss(network, batch) for batch in batches]
        assert_close(whole.total, sum(loss.total for loss in alone))
        assert_close(whole.cross_entropy, sum(loss.cross_entropy for loss in alone))
        assert batch.count == sum(batch.count for batch in batches)


@pytest.mark.parametrize(("name", "kind"), TASKS)
def test_every_objective_can_be_learned_by_every_kind_of_model_that_it_is_for(name, kind):
    example = OBJECTIVES[name].example(kind)
    network = model(kind, sizes=example.sizes).float().train()
    batch = example.objective.batch(example.rows, random())
    optimiser, losses = torch.optim.AdamW(network.parameters(), lr=1e-2), []
    for _ in range(30):
        loss = example.objective.loss(network, batch).total / batch.count
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


@pytest.mark.parametrize("family", RECIPES["transformer"])
def test_a_translation_s_loss_is_the_cross_entropy_of_the_model_s_scores(family):
    network, (row,) = model("transformer", family), texts(1, columns=2)
    objective = TranslationObjective(start=PAD, pad=PAD)
    source, target = (torch.tensor(part)[None] for part in row)
    scores = network(source, torch.cat([torch.tensor([[PAD]]), target[:, :-1]], 1))
    found = objective.loss(network, objective.batch([row], random()), 0.1)
    assert_close(found.total, F.cross_entropy(scores[0], target[0], reduction="sum", label_smoothing=0.1))


@pytest.mark.parametrize("family", RECIPES["decoder"])
def test_one_stream_learns_from_the_target_alone(family):
    network, rows = model("decoder", family), texts(3, columns=2)
    objective = TranslationObjective(start=PAD, pad=PAD, one_stream=True)
    wanted = 0.0
    for source, target in rows:
        stream = torch.tensor(np.concatenate([source, [PAD], target]))[None]
        scores = network(stream[:, :-1])[0, len(source) :]
        wanted += F.cross_entropy(scores, torch.tensor(target), reduction="sum")
    assert_close(objective.loss(network, objective.batch(rows, random())).total, wanted)


def test_next_token_learns_at_every_position():
    network, (row,) = model("decoder"), texts(1)
    objective = NextTokenObjective(pad=PAD)
    batch = objective.batch([row], random())
    tokens = torch.tensor(row[0])[None]
    assert batch.count == tokens.shape[1] - 1
    wanted = F.cross_entropy(network(tokens[:, :-1])[0], tokens[0, 1:], reduction="sum")
    assert_close(objective.loss(network, batch).total, wanted)


def test_of_the_words_to_be_guessed_most_are_masked_and_some_are_not():
    rows = [(np.arange(5, WORDS).repeat(10),) for _ in range(60)]
    objective = masked()
    batch = objective.batch(rows, random())
    shown = batch.inputs.flatten()[batch.positions]
    share = batch.count / sum(len(row[0]) for row in rows)
    assert share == pytest.approx(0.15, abs=0.01)
    assert float((shown == MASK).float().mean()) == pytest.approx(0.8, abs=0.03)
    assert float((shown == batch.answers).float().mean()) == pytest.approx(0.1, abs=0.03)
    rest = torch.ones(batch.inputs.numel(), dtype=torch.bool)
    rest[batch.positions] = False
    original = torch.tensor(np.concatenate([[1], rows[0][0], [2]])).repeat(60)
    assert_close(batch.inputs.flatten()[rest], original[rest])
    assert not torch.isin(batch.answers, torch.tensor([0, 1, 2, 3, 4])).any()


def test_the_same_seed_hides_the_same_words():
    first, second = (masked().batch(texts(5), random()) for _ in range(2))
    assert_close(first.inputs, second.inputs)
    other = masked().batch(texts(5), torch.Generator().manual_seed(1))
    assert not torch.equal(first.inputs, other.inputs)


def test_the_pieces_of_a_word_are_hidden_together():
    goes_on = torch.zeros(WORDS, dtype=torch.bool)
    goes_on[20:] = True  # tokens from 20 on continue a word
    rows = [(np.array([5, 21, 22, 6, 7, 23] * 30),) for _ in range(10)]
    batch = masked(continues_word=goes_on).batch(rows, random())
    hidden = torch.zeros(batch.inputs.numel(), dtype=torch.bool)
    hidden[batch.positions] = True
    hidden = hidden.view_as(batch.inputs)[:, 1:-1].reshape(-1, 6)
    assert (hidden[:, 0] == hidden[:, 1]).all()
    assert (hidden[:, 0] == hidden[:, 2]).all()
    assert (hidden[:, 4] == hidden[:, 5]).all()
    assert (hidden[:, 0] != hidden[:, 3]).any()


def test_the_second_part_of_a_text_follows_or_is_another_s():
    rows = [(np.full(8, 5 + number),) for number in range(20)]
    batch = masked(next_sentence=True, share=0.01).batch(rows, random())
    middle = 1 + 4 + 1
    for number, row in enumerate(batch.inputs):
        assert (int(row[middle]) == 5 + number) == bool(batch.is_next[number]) or int(row[middle]) == MASK
    assert batch.segments[0].tolist() == [0] * middle + [1] * 5
    assert 0 < int(batch.is_next.sum()) < 20
    network = model("encoder", sizes=DataSizes(WORDS, next_sentence=True))
    loss = masked(next_sentence=True).loss(network, batch)
    assert float(loss.total.detach()) > float(loss.cross_entropy)


def test_hidden_words_are_guessed_by_the_whole_model():
    network, objective = model("encoder"), masked(share=0.5)
    batch = objective.batch(texts(4), random())
    scores = network(batch.inputs, attention_mask=batch.attention_mask).flatten(0, 1)[batch.positions]
    assert_close(objective.loss(network, batch).total, F.cross_entropy(scores, batch.answers, reduction="sum"))


def test_every_objective_says_what_models_it_is_for():
    assert all(set(objective.kinds) <= set(RECIPES) for objective in OBJECTIVES.values())
    assert all(name == objective.name for name, objective in OBJECTIVES.items())
