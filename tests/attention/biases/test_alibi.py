import torch

from regard.attention import AlibiBias


def test_nobody_is_punished_for_looking_at_oneself_and_the_far_more_than_the_near():
    numbers = AlibiBias(torch.tensor([0.5, 0.25])).tile(torch.arange(4), torch.arange(4))
    assert (numbers.diagonal(dim1=-2, dim2=-1) == 0).all()
    assert (numbers[..., 3, :].diff() > 0).all()
    assert (numbers[..., 0, :].diff() < 0).all()


def test_a_steeper_head_is_punished_in_proportion():
    gentle, steep = AlibiBias(torch.tensor([0.25, 1.0])).tile(torch.arange(5), torch.arange(5))[0]
    assert torch.equal(4 * gentle, steep)


def test_only_the_distance_counts():
    bias = AlibiBias(torch.rand(3))
    near, far = bias.tile(torch.arange(3), torch.arange(5)), bias.tile(torch.arange(3) + 90, torch.arange(5) + 90)
    assert torch.equal(near, far)
