import sys

import torch
from torch import nn

from regard.attention import Pattern
from regard.viewer.stored_bytes import stored_bytes

SIZE = 4 * 1000


def test_a_tensor_counts_for_all_that_it_keeps_and_once():
    whole = torch.zeros(1000)
    empty = stored_bytes([])
    assert stored_bytes([whole[:10], whole[5:], whole]) - empty - 3 * 8 == SIZE
    assert stored_bytes([whole, torch.zeros(1000)]) - empty - 2 * 8 == 2 * SIZE


def test_what_the_model_owns_does_not_count():
    assert stored_bytes((nn.Linear(9, 9), nn.Parameter(torch.zeros(9)), stored_bytes, int)) == sys.getsizeof(
        (1, 2, 3, 4)
    )


def test_texts_and_what_a_pattern_holds_count():
    assert stored_bytes({"a": ["x" * 5000]}) > 5000
    plain = Pattern(torch.zeros(1, 2, 50, 4), torch.zeros(1, 2, 50, 4))
    edited = plain.set(torch.eye(50).expand(1, 2, 50, 50).clone())
    assert stored_bytes(plain) >= 2 * 4 * 400
    assert stored_bytes(edited) - stored_bytes(plain) >= 4 * 2 * 50 * 50
