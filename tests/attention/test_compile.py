"""An untapped call compiles whole. In a program of its own: checked signatures do not compile."""

import subprocess
import sys

PROGRAM = """
import torch
from regard.attention import AlibiBias, Causal, Padding, Shaw, Window, attend, tiles

tiles.BUDGET, tiles.ROWS = 60, 2
heads = [torch.randn(2, 2, 6, 4, requires_grad=True) for _ in range(3)]
calls = [
    {"mask": Causal() & Padding.from_lengths([3, 6])},
    {"mask": Window(2, 1), "bias": AlibiBias(torch.rand(2))},
    {"mask": Causal(), "score": Shaw(torch.randn(2, 5, 4))},
]
for told in calls:
    torch.compiler.reset()
    compiled = torch.compile(lambda *heads: attend(*heads, **told), backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(*heads), attend(*heads, **told))
    grads = [torch.autograd.grad(call(*heads).sum(), heads) for call in (compiled, lambda *h: attend(*h, **told))]
    torch.testing.assert_close(*grads)
"""


def test_an_untapped_call_compiles_whole():
    ran = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
