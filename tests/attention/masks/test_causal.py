import torch

from regard.attention import Causal


def test_the_last_query_stands_beside_the_last_key():
    assert torch.equal(Causal().grid(4, 4)[0, 0], torch.ones(4, 4).tril().bool())
    assert torch.equal(Causal().grid(2, 4)[0, 0], torch.ones(4, 4).tril().bool()[2:])
    assert torch.equal(Causal().grid(4, 2)[0, 0], torch.ones(4, 4).tril().bool()[:, 2:])


def test_the_kernels_own_switch_is_used_only_where_it_means_the_same():
    assert Causal().split(5, 5) == (True, None)
    assert Causal().split(3, 5) == (False, Causal())
    assert Causal().split(1, 5) == (False, None)


def test_all_causal_masks_are_equal():
    assert Causal() == Causal()
    assert len({Causal(), Causal()}) == 1
