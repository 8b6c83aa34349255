"""The fused kernel answers wherever it can, watched or not, in one call."""

import pytest
from attention.test_attend import Watcher, random_heads
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from regard.attention import Causal, Padding, attend


class Calls(TorchDispatchMode):
    """Counts the operators that are run, by name."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.names.append(operator.overloadpacket.__name__)
        return operator(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    "mask", [None, Causal(), Padding.from_lengths([3, 6]), Causal() & Padding.from_lengths([3, 6])], ids=repr
)
@pytest.mark.parametrize("sizes", [{}, {"groups": 2}, {"value_width": 5}, {"value_width": 16}], ids=str)
def test_one_kernel_call_answers(mask, sizes):
    heads = random_heads(**sizes)
    for taps in [(), (Watcher(),)]:
        with Calls() as calls:
            attend(*heads, mask=mask, taps=taps)
        assert [name for name in calls.names if "scaled_dot_product" in name] == [
            "_scaled_dot_product_flash_attention_for_cpu"
        ]


def test_vectors_that_do_not_lie_side_by_side_still_meet_the_fused_kernel():
    heads = [tensor.detach().transpose(-1, -2).contiguous().transpose(-1, -2) for tensor in random_heads()]
    with Calls() as calls:
        gathered = attend(*heads)
    assert "_scaled_dot_product_flash_attention_for_cpu" in calls.names
    assert_close(gathered, attend(*(tensor.contiguous() for tensor in heads)))
