"""At length: 8,192 tokens through a model of the size of GPT-2 small, and never 6 GiB in memory."""

import subprocess
import sys

import pytest

GIB = 1 << 20  # in the KiB that Linux counts
MODEL = """
import re, sys, torch
from dataclasses import replace
import regard
from regard.looking import Exam, differences, importance, rollout
from regard.models import Decoder, DecoderConfig, PositionConfig, preset
from regard.training.objectives import NextToken
import numpy as np

LENGTH = 8192
torch.manual_seed(0)
side = preset("gpt2").decoder
side = replace(side, position=PositionConfig("learned", {"length": LENGTH, "width": 768}))
model = Decoder(DecoderConfig(side)).eval()
tokens = torch.randint(50257, (1, LENGTH + 1))

def watched():
    with torch.no_grad(), regard.watch(model, "*.self") as seen:
        model.hidden(tokens[:, :-1])
    return seen
"""
STAGES = {
    "importance": """
batch = NextToken().batch([(tokens[0].numpy(),)], torch.Generator())
found = importance(model, Exam.of(NextToken(), [batch]), recompute=True)
assert [row.shape for row in found.values()] == [(12,)] * 12
assert all((row > 0).all() for row in found.values())
""",
    "top": """
best = [pattern.top(8) for pattern in watched().values()]
assert len(best) == 12 and all(one.weights.shape == (1, 12, LENGTH, 8) for one in best)
""",
    "rollout": """
own = rollout(watched()).own
assert (own.sum(-1) - 1).abs().max() < 1e-4
""",
    "diff": """
before = watched()
with torch.no_grad():
    for weight in model.parameters():
        weight.mul_(1.5)
found = differences(before, watched())
assert all(0 < float(one.divergence().min()) < 1 for one in found.values())
""",
}
PEAK = """
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.proof
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("stage", STAGES)
def test_8192_tokens_of_a_gpt2_stay_below_6_gib(stage):
    ran = subprocess.run([sys.executable, "-c", MODEL + STAGES[stage] + PEAK], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    peak = int(ran.stdout)
    print(f"{stage}: {peak / GIB:.2f} GiB")
    assert peak < 6 * GIB
