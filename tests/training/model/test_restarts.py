"""Memory networks that learn side by side learn what each would learn alone.

Also tests: training/model/copies.py.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.testing import assert_close

from regard.models import MemoryNetworkConfig
from regard.text.story_batch import StoryBatch
from regard.training.model.copies import copy_weights, model_of_copies, single_copy
from regard.training.model.restarts import (
    RestartProtocol,
    RestartResult,
    evaluate_restarts,
    gradient_step,
    split_by_length,
    train_restarts,
)
from regard.training.objectives.answer import noisy_ages

CONFIG = MemoryNetworkConfig(vocabulary=14, width=8, hops=2, memories=6, max_words=3)
SHORT = RestartProtocol(epochs=3, halve=2, linear_epochs=2, rows=16, learning_rate=0.02)


def told(count: int = 48, seed: int = 0) -> StoryBatch:
    """Who was last where: sentences (who, went, where) and the question (where, who)."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        who, where = draw.integers(1, 4, 5), draw.integers(6, 10, 5)
        length = draw.integers(1, 6)
        story = np.stack([who, np.full(5, 4), where], 1)[:length]
        asked = story[draw.integers(length), 0]
        rows.append((story, np.array([5, asked]), np.array([story[story[:, 0] == asked][-1, 2]])))
    return StoryBatch.of(rows)


def test_restarts_learn_what_each_learns_alone():
    stories = told()
    together = model_of_copies(CONFIG, [3, 5, 8])
    train_restarts(together, stories, SHORT)
    for copy, seed in enumerate([3, 5, 8]):
        alone = model_of_copies(CONFIG, [seed])
        train_restarts(alone, stories, SHORT)
        for mine, theirs in zip(copy_weights(alone, 0), copy_weights(together, copy), strict=True):
            assert_close(mine, theirs, atol=1e-5, rtol=1e-4)
        assert_close(
            evaluate_restarts(single_copy(together, copy), stories).loss[0],
            evaluate_restarts(together, stories).loss[copy],
        )


def test_a_training_that_was_stopped_goes_on_to_the_same_weights():
    stories, whole, begun = told(), model_of_copies(CONFIG, [1, 2]), model_of_copies(CONFIG, [1, 2])
    train_restarts(whole, stories, SHORT)

    class Stop(Exception):
        pass

    def stop(epoch: int, now: RestartResult) -> None:
        if epoch == 2:
            raise Stop

    with pytest.raises(Stop):
        train_restarts(begun, stories, SHORT, stop)
    resumed = model_of_copies(CONFIG, [7, 7])
    resumed.load_state_dict(begun.state_dict())
    train_restarts(resumed, stories, SHORT, start=3)
    assert all(torch.equal(one, other) for one, other in zip(whole.parameters(), resumed.parameters(), strict=True))


def test_a_net_learns_to_look_up_where_somebody_is():
    stories, model = told(240), model_of_copies(CONFIG, range(2))
    train_restarts(model, stories, replace(SHORT, epochs=9, halve=4, linear_epochs=2, learning_rate=0.04))
    assert evaluate_restarts(model, told(200, seed=1)).error[evaluate_restarts(model, stories).best()] < 0.15


def test_each_table_of_a_copy_is_cut_to_its_own_length():
    """Against torch's own descent, one copy at a time."""
    stories, model = told(16), model_of_copies(replace(CONFIG, projects=True), [1, 2])
    alone = [single_copy(model, copy) for copy in range(2)]
    for net in (model, *alone):
        net(stories.story, stories.question).pow(2).sum().mul(50).backward()
    gradient_step(model, 0.1, clip=0.5)
    for copy, net in enumerate(alone):
        for grads in [[net.embedding.grad[:, table], net.when.grad[:, table]] for table in range(3)] + [
            [net.project.grad]
        ]:
            length = torch.cat([grad.flatten() for grad in grads]).norm()
            assert length > 0.5
            for grad in grads:
                grad.mul_(0.5 / length)
        torch.optim.SGD(net.parameters(), lr=0.1).step()
        for mine, theirs in zip(copy_weights(model, copy), copy_weights(net, 0), strict=True):
            assert_close(mine, theirs)


def test_the_plan_is_that_of_the_authors_code():
    """facebook/MemNN: 20 epochs of linear start at 0.005, then 100 from 0.005, halved in epochs 25, 50, 75 and 100."""
    plan = list(RestartProtocol().plan())
    assert [rate for rate, normaliser in plan if normaliser is not None] == [0.005] * 20
    rates = [rate for rate, normaliser in plan if normaliser is None]
    assert len(rates) == 100
    assert [rates[epoch] for epoch in (0, 23, 24, 49, 98, 99)] == [0.005, 0.005, 0.0025, 0.00125, 0.000625, 0.0003125]


def test_a_copy_is_kept_for_its_error_and_then_for_its_loss():
    assert RestartResult(torch.tensor([0.2, 0.1, 0.1]), torch.tensor([0.0, 0.9, 0.5])).best() == 2


def test_noise_leaves_gaps_and_keeps_the_order():
    counts = torch.randint(1, 30, (200,))
    ages = noisy_ages(counts, 30, 0.1, torch.Generator().manual_seed(1))
    gaps = 0
    for row, count in enumerate(counts.tolist()):
        mine = ages[row, :count]
        assert (mine[:-1] > mine[1:]).all()  # oldest first
        assert mine[-1] >= 0
        assert mine[0] <= count - 1 + np.ceil(0.1 * count)
        gaps += int(mine[0] > count - 1)
    assert 0.2 < gaps / 200 < 0.8
    assert torch.equal(
        noisy_ages(counts, 30, 0.0, torch.Generator())[0, : counts[0]], torch.arange(counts[0] - 1, -1, -1)
    )


def test_halves_save_padding_and_lose_nothing():
    counts = torch.tensor([3, 40, 5, 2, 4, 3, 2, 5])
    short, long = split_by_length(counts)
    assert long.tolist() == [1]
    assert sorted([*short.tolist(), *long.tolist()]) == list(range(8))
    assert [len(part) for part in split_by_length(torch.tensor([7, 7, 6, 7]))] == [4]
