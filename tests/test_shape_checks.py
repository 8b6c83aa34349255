import pytest
import torch
from jaxtyping import TypeCheckError

from regard.attention.masks import Causal
from regard.pictures.colours import LIGHT


def test_a_wrong_size_or_dtype_is_refused_while_tests_run():
    with pytest.raises(TypeCheckError):
        Causal().tile(torch.zeros(2, 3, dtype=torch.long), torch.arange(3))
    with pytest.raises(TypeCheckError):
        Causal().tile(torch.zeros(3), torch.arange(3))


def test_a_wrong_kind_is_refused_and_an_int_will_do_for_a_float():
    with pytest.raises(TypeCheckError):
        LIGHT.colour("0.5")
    assert LIGHT.colour(1) == LIGHT.colour(1.0)
