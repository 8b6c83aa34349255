import pytest
import torch
from torch.testing import assert_close

from regard.errors import UnknownName, lookup
from regard.layers import NORMS


def test_layer_norm_takes_mean_and_deviation_away():
    """Ba et al. 2016, eq. 3."""
    x = torch.randn(2, 3, 8) * 5 + 2
    centred = x - x.mean(-1, keepdim=True)
    deviation = centred.square().mean(-1, keepdim=True).sqrt()
    assert_close(NORMS["layer"](8)(x), centred / deviation, rtol=1e-4, atol=1e-5)


def test_rms_norm_takes_the_size_away():
    """Zhang and Sennrich 2019, eq. 4."""
    x = torch.randn(2, 3, 8) * 5 + 2
    assert_close(NORMS["rms"](8)(x), x / x.square().mean(-1, keepdim=True).sqrt(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", [name for name in NORMS if name != "none"])
def test_every_norm_forgets_the_size_of_a_vector(name):
    norm, x = NORMS[name](8), torch.randn(2, 3, 8)
    assert_close(norm(3 * x), norm(x), rtol=1e-3, atol=1e-4)


def test_an_unknown_norm_gets_the_list_of_known_ones():
    with pytest.raises(UnknownName, match="unknown norm 'batch': known: layer, layer-unbiased, none, rms, rms-offset"):
        lookup(NORMS, "batch", "norm")


def test_no_norm_leaves_vectors_as_they_are_and_learns_nothing():
    norm, x = NORMS["none"](8, eps=1e-5), torch.randn(2, 3, 8)
    assert norm(x) is x
    assert not list(norm.parameters())
