"""What tokens are called, where a tool was told how to spell them: by our tokeniser, transformers' or any function."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from regard.errors import RegardError
from regard.looking.runs import Inputs

Speller = Any
"""A tokeniser of ours or of transformers, a task, or a function from token numbers to words."""
ID_NAMES: dict[str, tuple[str, ...]] = {
    "encoder": ("input_ids", "source"),
    "decoder": ("decoder_input_ids", "target", "tokens", "input_ids"),
}
"""What models call the tokens of each side; that of a model of one stack is its last."""


def spell(tokenizer: Speller, ids: list[int]) -> tuple[str, ...]:
    """The words of some tokens."""
    tokenizer = getattr(tokenizer, "tokenizer", tokenizer)
    methods = (getattr(tokenizer, name, None) for name in ("tokens", "convert_ids_to_tokens"))
    method: Any = next((method for method in methods if callable(method)), tokenizer)
    if callable(method):
        words: Any = method(ids)
        return tuple(map(str, words))
    raise RegardError(
        f"a tokeniser (of regard or transformers) or a function that spells tokens expected, got "
        f"{type(tokenizer).__name__}"
    )


def token_labels(
    tokenizer: Speller | None, inputs: Inputs, sides: list[str], batch: int = 0
) -> dict[str, tuple[str, ...]]:
    """The tokens of every stack of a model as words; none where nobody said how to spell, or there are no tokens."""
    if tokenizer is None:
        return {}
    ids = {side: ids_of(inputs, side, alone=len(sides) == 1) for side in sides}
    return {side: spell(tokenizer, tokens[batch].tolist()) for side, tokens in ids.items() if tokens is not None}


def ids_of(inputs: Inputs, side: str, *, alone: bool) -> Tensor | None:
    """The tokens that a stack reads, among what a model is called with."""
    if isinstance(inputs, Mapping):
        names = ("input_ids", "tokens") if alone else ID_NAMES[side]
        ids = next((inputs[name] for name in names if name in inputs), None)
    elif isinstance(inputs, Tensor):
        ids = inputs
    else:
        ids = inputs[0] if alone or side == "encoder" else inputs[1] if len(inputs) > 1 else None
    is_ids = isinstance(ids, Tensor) and ids.ndim == 2 and not ids.is_floating_point()
    return ids if is_ids else None
