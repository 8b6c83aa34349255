"""Edits with a cache, step by step, beside the same edits in one pass over the whole text."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from looking.live.families import Family
from looking.live.runs import attention_mask_of, inputs, run, uncompiled
from looking.live.settings import Setting
from torch import Tensor

import regard


@contextmanager
def noted_positions(model: Any) -> Iterator[list[Tensor | None]]:
    """The position ids of every call, which generate() counts its own way behind padding."""
    noted: list[Tensor | None] = []

    def note(_module: Any, _given: Any, named: dict[str, Any]) -> None:
        noted.append(named.get("position_ids"))

    hook = model.register_forward_pre_hook(note, with_kwargs=True)
    try:
        yield noted
    finally:
        hook.remove()


def one_pass(model: Any, family: Family, setting: Setting, tokens: Tensor, positions: Tensor | None = None) -> Tensor:
    """Logits of a whole text, read at once without a cache."""
    given, mask = inputs(family, setting), attention_mask_of(family, setting, decoder=True)[:, : tokens.shape[1]].long()
    name = "decoder_input_ids" if family.is_pair else "input_ids"
    given[name] = tokens
    if setting.mask != "no mask":
        given[name.replace("input_ids", "attention_mask")] = mask
    if positions is not None:
        given["position_ids"] = positions
    with torch.no_grad(), uncompiled(setting):
        return model(**given, use_cache=False).logits


def assert_one_pass(model: Any, family: Family, setting: Setting, edits: list[dict]) -> float:
    """Edits with this cache put out what the same edits do in one pass. How far they move the output, is returned."""
    with regard.edit(model, edits), noted_positions(model) as noted:
        answer = run(model, family, setting)
    positions = None if noted[0] is None else torch.cat([part for part in noted if part is not None], 1)
    if answer.tokens is None:
        tokens = inputs(family, setting)["decoder_input_ids" if family.is_pair else "input_ids"]
        logits = torch.cat(answer.logits, 1)
    else:
        tokens = answer.tokens[:, :-1]
        logits = torch.stack(answer.logits, 1)
    with regard.edit(model, edits):
        whole = one_pass(model, family, setting, tokens, positions)[:, -logits.shape[1] :]
    unedited = one_pass(model, family, setting, tokens, positions)[:, -logits.shape[1] :]
    rows = attention_mask_of(family, setting, decoder=True)[:, : tokens.shape[1]][:, -logits.shape[1] :]
    torch.testing.assert_close(logits[rows], whole[rows], rtol=1e-5, atol=1e-5)
    return float((whole - unedited)[rows].abs().max()) if rows.any() else 0.0
