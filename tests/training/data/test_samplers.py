"""Sources are sampled by their weights, others in each epoch, the same whenever it is asked."""

from collections import Counter

import numpy as np
import pytest

from regard.training.data.samplers import BucketSampler, WeightedSampler
from regard.training.recipe.recipe import TrainRecipe

TRAIN = TrainRecipe(batch_tokens=64, seed=5)
LENGTHS = [np.stack([np.arange(2, 42), np.arange(3, 43)], 1), np.full((30, 2), 7)]


def epoch(sampler, number: int) -> Counter:
    return Counter(row for batch in range(sampler.count(number)) for row in sampler.rows(number, batch))


@pytest.mark.parametrize("weight", [0.1, 0.5, 1.0, 2.0, 2.5])
def test_the_first_source_comes_once_and_another_as_often_as_its_weight_says(weight):
    rows = epoch(WeightedSampler(LENGTHS, [1.0, weight], TRAIN), 0)
    assert all(rows[row] == 1 for row in range(40))
    others = [rows[row] for row in range(40, 70)]
    assert sum(others) == round(30 * weight)
    assert max(others) - min(others) <= 1


def test_a_part_is_drawn_anew_in_every_epoch_and_again_the_same():
    sampler, again = (WeightedSampler(LENGTHS, [1.0, 0.5], TRAIN) for _ in range(2))
    first, second = epoch(sampler, 0), epoch(sampler, 1)
    assert first != second
    assert [again.rows(1, batch) for batch in range(again.count(1))] == [
        sampler.rows(1, batch) for batch in range(sampler.count(1))
    ]


def test_with_weights_of_one_it_is_one_source():
    sampler, plain = WeightedSampler(LENGTHS, [1.0, 1.0], TRAIN), BucketSampler(np.concatenate(LENGTHS), TRAIN)
    assert [sampler.rows(0, batch) for batch in range(sampler.count(0))] == [
        plain.rows(0, batch) for batch in range(plain.count(0))
    ]
