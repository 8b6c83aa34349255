import torch

from regard.attention import BucketBias


def test_distances_past_the_last_share_its_number():
    line = torch.arange(5.0)[None]  # two positions back, ..., two positions ahead
    numbers = BucketBias(line).tile(torch.tensor([10]), torch.tensor([0, 8, 9, 10, 11, 12, 99]))
    assert numbers.flatten().tolist() == [0, 0, 1, 2, 3, 4, 4]


def test_the_gradient_of_a_distance_is_gathered_from_all_its_pairs():
    line = torch.zeros(1, 3, requires_grad=True)
    BucketBias(line).tile(torch.arange(4), torch.arange(4)).sum().backward()
    assert line.grad.tolist() == [[6, 4, 6]]


def test_a_line_of_one_number_adds_it_everywhere():
    assert torch.equal(
        BucketBias(torch.full((2, 1), 3.0)).tile(torch.arange(2), torch.arange(5)), torch.full((1, 2, 2, 5), 3.0)
    )
