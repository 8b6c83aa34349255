"""What a watched run is held to: the outputs of an unwatched one, and the weights of the eager copy."""

from typing import Any

import torch
from looking.live.families import FAMILIES, Family, model_of
from looking.live.references import eager, plain
from looking.live.runs import Answer, attention_mask_of, run
from looking.live.settings import Setting
from torch import Tensor

import regard
from regard.errors import RegardError
from regard.looking import Seen
from regard.looking.layer_names import LayerNames

CLOSE = 1e-5
APART = 1e-3  # outputs of two implementations that compute the same are nearer


def check(name: str, setting: Setting) -> str:
    """Watch a model of a family in a setting: "exact", or why it was refused or not run; an error if it is wrong."""
    family, model = FAMILIES[name], model_of(name, setting.implementation)
    try:
        unwatched = plain(name, setting)
    except RegardError:
        raise
    except Exception as problem:  # transformers itself cannot
        return f"not run: transformers: {type(problem).__name__}: {problem}".split("\n")[0]
    expected = eager(name, setting)
    if (difference := apart(family, setting, unwatched, expected)) > APART:
        return f"not run: transformers' {setting.implementation} itself is {difference:.1g} from its eager attention"
    try:
        names = chosen(model, setting.layers)
        with regard.watch(model, *names) as seen:
            answer = run(model, family, setting)
    except RegardError as problem:
        return f"refused: {problem}"
    assert_same(answer, unwatched)
    assert set(seen) == {layer for layer in LayerNames(model).layers if layer in names or not names}
    compare(family, setting, model, seen, expected)
    return "exact"


def apart(family: Family, setting: Setting, one: Answer, other: Answer) -> float:
    """How far the outputs of two runs are from each other where there are tokens."""
    rows = attention_mask_of(family, setting, decoder=True)
    difference = [(a - b).abs().amax(-1) for a, b in zip(one.logits, other.logits, strict=True)]
    if setting.way == "forward":
        return float(torch.cat(difference, 1)[rows].max())
    assert torch.equal(one.tokens, other.tokens), "the eager copy writes other tokens: take another seed"
    return float(torch.stack(difference).max())


def chosen(model: Any, layers: str) -> list[str]:
    """The names of the layers that are watched."""
    names = list(LayerNames(model).layers)
    return {"all": [], "one": names[-1:], "cross": [name for name in names if name.endswith("cross")]}[layers]


def assert_same(answer: Answer, expected: Answer) -> None:
    """The same bits."""
    assert len(answer.logits) == len(expected.logits)
    for mine, theirs in zip(answer.logits, expected.logits, strict=True):
        assert torch.equal(mine, theirs), f"outputs differ by {(mine - theirs).abs().max():.2g}"
    if answer.tokens is not None and expected.tokens is not None:
        assert torch.equal(answer.tokens, expected.tokens), "tokens differ"


def compare(family: Family, setting: Setting, model: Any, seen: Seen, expected: Answer) -> None:
    """Every pattern has the weights of the eager copy, and knows where its tokens stand."""
    for name, kind, numbers in numbered(model, family):
        if name not in seen:
            continue
        calls = [[weights for weights in call if weights is not None] for call in expected.attentions[kind]]
        weights = [(step, call[number]) for step, call in enumerate(calls) for number in numbers]
        patterns = seen.all(name)
        assert len(patterns) == len(weights), f"{name}: {len(patterns)} patterns of {len(weights)} calls"
        for pattern, (step, theirs) in zip(patterns, weights, strict=True):
            rows, columns = standing(family, setting, kind, step, pattern)
            compare_weights(pattern, theirs, rows, f"{name}, call {step}")
            compare_positions(pattern, columns, f"{name}, call {step}")


def numbered(model: Any, family: Family) -> list[tuple[str, str, list[int]]]:
    """Each layer with the kind of weights that transformers tells of it, and its numbers among them in one pass."""
    counts: dict[str, int] = {}
    result = []
    for name in LayerNames(model).layers:
        kind = "cross" if name.endswith("cross") else "encoder" if name.startswith("encoder") else "decoder"
        kind = kind if family.is_pair else "decoder" if family.writes else "encoder"
        result.append((name, kind, [counts.get(kind, 0)]))
        counts[kind] = counts.get(kind, 0) + 1
    return cycled(model.config, result) if family.name == "hrm_text" else result


def cycled(config: Any, layers: list[tuple[str, str, list[int]]]) -> list[tuple[str, str, list[int]]]:
    """Of two stacks, of which the first runs some cycles and then the second one, the whole several times."""
    size, times = config.num_layers_per_stack, config.L_cycles + 1
    result = []
    for name, kind, (number,) in layers:
        mine = range(config.L_cycles) if number < size else [config.L_cycles]
        turns = [(high * times + low) * size for high in range(config.H_cycles) for low in mine]
        result.append((name, kind, [turn + number % size for turn in turns]))
    return result


def standing(family: Family, setting: Setting, kind: str, step: int, pattern: regard.Pattern) -> tuple[Tensor, Tensor]:
    """Which of a call's queries are tokens (batch, queries), and of the text so far which keys are (batch, tokens)."""
    queries = pattern.shape[2]
    columns = attention_mask_of(family, setting, decoder=kind == "decoder")
    rows = attention_mask_of(family, setting, decoder=kind != "encoder")
    if kind != "encoder":
        whole = rows.shape[1]
        if setting.way == "forward":
            total = whole if setting.cache == "no cache" else sum(setting.sizes.parts[: step + 1])
        else:
            total = whole - setting.sizes.new_tokens + step
        rows = rows[:, total - queries : total]
        columns = columns[:, :total] if kind == "decoder" else columns
    times = pattern.shape[0] // len(rows)
    return rows.repeat_interleave(times, 0), columns.repeat_interleave(times, 0)


def compare_weights(pattern: regard.Pattern, expected: Tensor, rows: Tensor, where: str, close: float = CLOSE) -> None:
    """The weights of all rows that are tokens; what the pattern has no columns for gets nothing."""
    if not rows.any():  # nothing but padding
        return
    weights, keys = pattern.weights().transpose(1, 2)[rows], pattern.shape[3]
    theirs = expected.transpose(1, 2)[rows]
    difference = (weights - theirs[..., :keys]).abs().max()
    assert difference <= close, f"{where}: weights differ by {difference:.2g}"
    assert not theirs[..., keys:].any(), f"{where}: keys are missing"


def compare_positions(pattern: regard.Pattern, tokens: Tensor, where: str) -> None:
    """Keys stand where their tokens do, padding not counted."""
    positions = torch.where(tokens, tokens.cumsum(-1) - 1, -1)[:, pattern.first_key :]
    assert pattern.shape[3] == positions.shape[1], f"{where}: {pattern.shape[3]} keys, {positions.shape[1]} tokens"
    found = pattern.positions.expand(len(positions), -1)
    assert torch.equal(found, positions), f"{where}: positions {found.tolist()}, not {positions.tolist()}"
