import pytest
import torch
from attention.test_attend import random_heads
from torch.testing import assert_close

from regard.attention import Causal, Kernel, Pattern, SumNormaliser, attend
from regard.attention.scores import FEATURES, KernelFeatures
from regard.errors import UnknownName


@pytest.mark.parametrize("name", FEATURES)
def test_weights_are_positive_and_sum_to_one(name):
    query, key, _ = random_heads()
    weights = Pattern(*KernelFeatures(heads=4, width=8, feature=name)(query.abs(), key.abs()), mask=Causal()).weights()
    assert (weights >= 0).all()
    assert_close(weights.sum(-1), torch.ones(2, 4, 6))


@pytest.mark.parametrize("name", FEATURES)
def test_it_factors_so_that_nobody_has_to_compare_every_pair(name):
    query, key, value = random_heads()
    feature = FEATURES[name]
    seen = feature(key).transpose(-1, -2) @ value
    total = feature(query) @ feature(key).sum(2, keepdim=True).transpose(-1, -2)
    assert_close(attend(query, key, value, score=Kernel(feature)), feature(query) @ seen / total)


def test_it_is_divided_by_its_sum():
    query, key, _ = random_heads()
    assert isinstance(Pattern(query, key, Kernel()).normaliser, SumNormaliser)


def test_a_query_without_any_match_gathers_nothing():
    query, key, value = random_heads()
    assert (attend(-query.abs(), key, value, score=Kernel(torch.relu)) == 0).all()


def test_an_unknown_feature_map_is_refused():
    with pytest.raises(
        UnknownName, match=r"unknown feature map 'gelu': did you mean 'elu'\? known: elu, relu, softplus"
    ):
        KernelFeatures(heads=4, width=8, feature="gelu")
