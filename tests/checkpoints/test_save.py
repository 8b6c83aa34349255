"""A folder says all that a model is, or is not written."""

import os
import shutil
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest
import torch

from regard.checkpoints import CheckpointError, load_model, save_model
from regard.models import (
    AttentionConfig,
    Decoder,
    DecoderConfig,
    EmbeddedStackConfig,
    EmbeddingConfig,
    FeedForwardConfig,
    NormConfig,
    PositionConfig,
    StackConfig,
)

STACK = StackConfig(
    layers=1,
    width=16,
    attention=AttentionConfig(heads=2, bias=False),
    feed_forward=FeedForwardConfig(24, "silu", gated=True, bias=False),
    norm=NormConfig("rms", 1e-5),
)
LLAMA = DecoderConfig(EmbeddedStackConfig(EmbeddingConfig(50), STACK, PositionConfig("rotary", {"head_width": 8})))


def changed(**stack):
    return replace(LLAMA, decoder=replace(LLAMA.decoder, stack=replace(STACK, **stack)))


def test_what_follows_from_the_rest_need_not_be_said(tmp_path):
    model = Decoder(LLAMA).eval()
    save_model(model, tmp_path / "llama", {"model_type": "llama"}, "LlamaForCausalLM")
    tokens = torch.arange(7)[None]
    assert torch.equal(load_model(tmp_path / "llama").model(tokens), model(tokens))


@pytest.mark.parametrize(
    ("lost", "what"),
    [
        (changed(norm=NormConfig("layer", 1e-5)), r"norm\.kind = 'layer'"),
        (changed(pre_norm=False), r"pre_norm = False"),
        (replace(LLAMA, decoder=replace(LLAMA.decoder, position=PositionConfig("none"))), "this model"),
    ],
)
def test_a_model_that_the_family_has_no_words_for_is_not_written(lost, what, tmp_path):
    with pytest.raises(CheckpointError, match=what):
        save_model(Decoder(lost), tmp_path / "lost", {"model_type": "llama"}, "LlamaForCausalLM")
    assert not (tmp_path / "lost").exists()


class Killed(BaseException):
    """The end of a process."""


def test_a_folder_that_is_replaced_is_there_whenever_the_process_dies(tmp_path, monkeypatch):
    old, new = (Decoder(LLAMA).eval() for _ in range(2))
    told = tmp_path / "llama", {"model_type": "llama"}, "LlamaForCausalLM"
    save_model(old, *told)
    moves = []

    def dying(move, *names, **options):
        if moves:
            raise Killed
        moves.append(names)
        return move(*names, **options)

    with monkeypatch.context() as killed, suppress(Killed):  # one move may be enough
        for name in ("rename", "replace"):
            killed.setattr(os, name, partial(dying, getattr(os, name)))
        killed.setattr(shutil, "rmtree", lambda *_, **__: None)  # who is dead tidies nothing up
        save_model(new, *told)
    found = load_model(tmp_path / "llama").model
    tokens = torch.arange(7)[None]
    assert any(torch.equal(found(tokens), model(tokens)) for model in (old, new))
