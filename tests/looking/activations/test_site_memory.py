"""Memory that is stated before it is spent is never less than what is kept, in every family and in live models."""

import gc

import pytest
import torch
from looking.activations.zoo import LIVE, inputs_of, logits_of, model_of
from looking.families import WITH_HEADS, made, sound
from torch import nn
from torch.profiler import ProfilerActivity, profile

import regard
from regard.models import SpeechTransformer, Transformer

STACKED = [kind for kind in WITH_HEADS if kind not in ("e2k", "alignment", "masked-aligner", "vision", "vit")]
LENGTH, WRITTEN = 12, 9


def kept_bytes(*values):
    """All memory that tensors inside of these hold, each block once."""
    blocks, met, waiting = {}, set(), list(values)
    while waiting:
        value = waiting.pop()
        if id(value) in met or isinstance(value, nn.Module):
            continue
        met.add(id(value))
        if isinstance(value, torch.Tensor):
            blocks[value.untyped_storage().data_ptr()] = value.untyped_storage().nbytes()
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
        elif hasattr(value, "__dict__"):
            waiting += vars(value).values()
    return sum(blocks.values())


def watch_all(model, run):
    with torch.no_grad(), regard.watch(model, *regard.sites(model)) as seen:
        run()
    return seen


def assert_bound(stated, seen, most=1.1):
    kept = kept_bytes(seen._activations.calls, seen._patterns)
    assert kept <= stated <= most * kept


@pytest.mark.parametrize("kind", STACKED)
def test_a_family_keeps_no_more_than_was_said(kind):
    model = made(kind)[0]
    generator = torch.Generator().manual_seed(0)
    tokens, target = (torch.randint(3, 40, (2, length), generator=generator) for length in (LENGTH, WRITTEN))
    mask, target_mask = (torch.arange(length) < torch.tensor([[length], [5]]) for length in (LENGTH, WRITTEN))
    sizes = {"batch": 2, "length": LENGTH, "padded": True}
    if isinstance(model, Transformer):
        seen = watch_all(model, lambda: model(tokens, target, attention_mask=mask, target_attention_mask=target_mask))
        sizes |= {"length": WRITTEN, "source": LENGTH}
    elif isinstance(model, SpeechTransformer):
        seen = watch_all(model, lambda: model(sound(model, generator), target, target_attention_mask=target_mask))
        sizes |= {"length": WRITTEN, "source": LENGTH // 2}
    else:
        seen = watch_all(model, lambda: model(tokens, attention_mask=mask))
    assert_bound(regard.sites(model).memory(**sizes), seen)


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("kind", LIVE)
def test_a_live_model_keeps_no_more_than_was_said(kind, padded):
    model, inputs = model_of(f"live {kind}"), inputs_of(f"live {kind}")
    if padded:
        inputs |= {"attention_mask": torch.tensor([[1] * 6, [1] * 4 + [0] * 2])}
    written = 5 if "decoder_input_ids" in inputs else 6
    seen = watch_all(model, lambda: logits_of(model, inputs))
    assert_bound(regard.sites(model).memory(batch=2, length=written, source=6, padded=padded), seen)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["gpt2", "live gpt2"])
def test_nothing_else_is_held_when_the_block_has_ended(kind):
    """By what torch's allocator gave out and did not get back."""
    model, inputs = model_of(kind), inputs_of(kind)
    watch_all(model, lambda: logits_of(model, inputs))
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        seen = watch_all(model, lambda: logits_of(model, inputs))
    events = profiler.profiler.kineto_results.events()
    held = sum(event.nbytes() for event in events if event.name() == "[memory]")
    stated = regard.sites(model).memory(batch=2, length=6)
    assert 0.9 * stated <= held <= stated
    assert len(seen)
