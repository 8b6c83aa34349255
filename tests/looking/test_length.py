"""At length: 8,192 tokens through a model of the size of GPT-2 small, and never 6 GiB in memory."""

import subprocess
import sys

import pytest
import torch
from looking.built import decoder
from torch.profiler import ProfilerActivity, profile

import regard

GIB = 1 << 20  # in the KiB that Linux counts
MODEL = """
import re, sys, torch
from dataclasses import replace
import regard
from regard.looking import EvaluationSet, differences, importance, rollout
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
found = importance(model, EvaluationSet.of(NextToken(), [batch]), recompute=True)
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


LENGTH = 8192


def peak_bytes(action):
    """The most that torch's allocator held at once, above what it held before."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        action()
    events = profiler.profiler.kineto_results.events()
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    level = most = 0
    for _, change in changes:
        level += change
        most = max(most, level)
    return most


def cut_pairs(model, tokens):
    with regard.edit(model) as edit:
        edit.cut("decoder.1.self", queries=[LENGTH - 1, 70], keys=[3, 4])
        model(tokens)


def set_pairs(model, tokens):
    with regard.edit(model) as edit:
        edit.set_pairs("decoder.1.self", [LENGTH - 1], [3], 0.5)
        model(tokens)


def patch_pairs(model, tokens):
    corrupt = tokens.roll(1, 1)
    grid = regard.patch(
        model, tokens, corrupt, lambda logits: logits[0, -1, 5], "pairs", layers=[1], queries=[LENGTH - 1], keys=[3]
    )
    assert grid.values.shape == (1, 1)


def take_score_apart(model, tokens):
    why = regard.pair_score(model, tokens, "decoder.1.self", 0, LENGTH - 1, 3)
    assert abs(why.rest) < 1e-3


def look_at_patterns(model, tokens):
    with regard.watch(model) as seen:
        model(tokens)
    pattern = seen["decoder.1.self"]
    assert pattern.row(LENGTH - 1).sum(-1).sub(1).abs().max() < 1e-4
    assert pattern.top(3).positions.shape[-2:] == (LENGTH, 3)
    assert pattern.entropy().shape[-1] == LENGTH


def edit_heads_and_keys(model, tokens):
    with regard.edit(model) as edit:
        edit.head("decoder.0.self", 1).temperature(0.5)
        edit.hide([7])
        edit.site("decoder.1.self.key", positions=[5]).zero()
        model(tokens)


def steer_by_tokens(model, tokens):
    with regard.edit(model) as edit:
        edit.site("decoder.0.stream.after", start={"token": 3}, stop={"token": 5, "after": 9}).add([1.0])
        model(tokens)


def patch_heads(model, tokens):
    corrupt = tokens.roll(1, 1)
    grid = regard.patch(model, tokens, corrupt, lambda logits: logits[0, -1, 5], "heads", layers=[1])
    assert grid.values.shape == (1, 2)


WORK = [cut_pairs, set_pairs, patch_pairs, take_score_apart, look_at_patterns, edit_heads_and_keys, steer_by_tokens]
WORK += [patch_heads]


@pytest.mark.proof
@pytest.mark.parametrize("work", WORK)
def test_pairs_among_8192_tokens_take_less_than_a_byte_for_each_pair(work):
    torch.manual_seed(0)
    model = decoder(heads=2, width=16, position="rotary").eval()
    tokens = torch.randint(12, (1, LENGTH), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        peak = peak_bytes(lambda: work(model, tokens))
    print(f"{work.__name__}: {peak / 2**20:.0f} MiB")
    assert peak < LENGTH**2
