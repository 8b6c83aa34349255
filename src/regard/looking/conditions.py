"""When an edit begins and when it ends, in a text that may still be written: at a position, or at a token.

`start` is a position, or {"token": [198]}: at each of these tokens. `stop` is a position, or {"token": [13]}, or
{"after": 5}: so many tokens from each start on, or both. The first token that is edited is the one that starts it; one
that stops it is not edited any more. A token that does both starts.
"""

from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.errors import EditError
from regard.looking.edit_fields import Record, describe, indices, text_position, whole_number

Condition = int | dict[str, Any]
TokensSoFar = Int[Tensor, "batch positions"]
"""The tokens of some texts from the first on; -1 where a text has none."""


def start_condition(value: object, field: str) -> Condition | None:
    """A position, or {"token": …}; None: from the first token on."""
    return condition(value, field, ("token",)) if isinstance(value, Mapping) else text_position(value, field)


def stop_condition(value: object, field: str) -> Condition | None:
    """A position, or {"token": …, "after": …}, one of them or both; None: never."""
    return condition(value, field, ("token", "after")) if isinstance(value, Mapping) else text_position(value, field)


def condition(value: Mapping[Any, object], field: str, known: tuple[str, ...]) -> dict[str, Any]:
    if not value or not all(name in known for name in value):
        expected = " or ".join(f'"{name}"' for name in known)
        raise EditError(f"{field}: a position, or {expected} by name, expected, got {describe(dict(value))}")
    checks = {"token": token_numbers, "after": count_of_tokens}
    return {name: checks[name](each, f"{field}.{name}") for name, each in value.items()}


def token_numbers(value: object, field: str) -> list[int]:
    """One token, or several of which any will do."""
    tokens = [whole_number(value, field)] if isinstance(value, int) else indices(value, field)
    if not tokens or min(tokens) < 0:
        raise EditError(f"{field}: the number of a token, 0 or more, or several expected, got {describe(value)}")
    return tokens


def count_of_tokens(value: object, field: str) -> int:
    count = whole_number(value, field)
    if count < 1:
        raise EditError(f"{field}: so many tokens, 1 or more, expected, got {count}")
    return count


def has_conditions(record: Record) -> bool:
    """Whether an edit begins or ends at tokens, or after some, and not only at positions."""
    return any(isinstance(record.get(field), dict) for field in ("start", "stop"))


def is_edited(tokens: TokensSoFar, record: Record) -> Bool[Tensor, "batch positions"]:
    """Which positions of some texts an edit is meant for, by its start and its stop."""
    start, stop = record.get("start"), record.get("stop")
    positions = torch.arange(tokens.shape[1], device=tokens.device).expand_as(tokens)
    begins = holds(tokens, start["token"]) if isinstance(start, dict) else positions == (start or 0)
    started = last_position(begins)
    edited = started >= 0
    if isinstance(stop, dict):
        if "token" in stop:
            edited &= last_position(holds(tokens, stop["token"])) <= started
        if "after" in stop:
            edited &= positions - started < stop["after"]
    elif stop is not None:
        edited &= positions < stop
    return edited


def holds(tokens: TokensSoFar, wanted: list[int]) -> Bool[Tensor, "batch positions"]:
    return torch.isin(tokens, torch.tensor(wanted, device=tokens.device))


def last_position(marked: Bool[Tensor, "batch positions"]) -> TokensSoFar:
    """The last marked position, here or before; -1 where there is none."""
    positions = torch.arange(marked.shape[1], device=marked.device)
    return torch.where(marked, positions, -1).cummax(-1).values
