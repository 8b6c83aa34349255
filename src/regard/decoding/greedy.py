"""Always the likeliest word."""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.decoding.rules import Rules, Written
from regard.decoding.steps import Steps
from regard.errors import expect
from regard.shapes import Real, Tokens


@torch.no_grad()
def greedy(
    model: Steps,
    source: Tokens | None,
    prefix: Int[Tensor, "batch prefix"],
    *,
    real: Real | None = None,
    prefix_real: Bool[Tensor, "batch prefix"] | None = None,
    longest: Sequence[int],
    rules: Rules = Rules(),
) -> list[Written]:
    """Write on from a prefix, each text until it ends or has `longest` new tokens; finished texts leave the batch."""
    expect("the list of longest lengths", "numbers", len(longest), len(prefix))
    ids: list[list[int]] = [[] for _ in longest]
    scores: list[list[float]] = [[] for _ in longest]
    ended = [False] * len(longest)
    state = model.start(source, real)  # type: ignore[arg-type]
    going = [row for row, most in enumerate(longest) if most > 0]
    tokens, real = prefix, prefix_real
    if len(going) < len(longest):
        rows = torch.tensor(going, device=prefix.device, dtype=torch.long)
        state, tokens, real = state.select(rows), tokens[rows], None if real is None else real[rows]
    while going:
        logits, state = model.step(state, tokens, real)
        real = None
        chosen, likelihood = choose(logits[:, -1], len(ids[going[0]]), [longest[row] for row in going], rules)
        kept = []
        for place, row in enumerate(going):
            token, score = int(chosen[place]), float(likelihood[place])
            scores[row].append(score)
            ended[row] = token in rules.ends
            if not ended[row]:
                ids[row].append(token)
                if len(ids[row]) < longest[row]:
                    kept.append(place)
        if len(kept) < len(going):
            rows = torch.tensor(kept, device=prefix.device, dtype=torch.long)
            state, chosen = (state.select(rows), chosen[rows]) if kept else (state, chosen)
            going = [going[place] for place in kept]
        tokens = chosen[:, None]
    return [Written(tuple(ids[row]), tuple(scores[row]), ended[row]) for row in range(len(longest))]


def choose(logits: Tensor, written: int, longest: Sequence[int], rules: Rules) -> tuple[Int[Tensor, " rows"], Tensor]:
    """The next token of every text that goes on, and its log-probability; all have written the same number."""
    likelihood = logits.float().log_softmax(-1)
    allowed = likelihood.clone()
    if rules.banned:
        allowed[:, list(rules.banned)] = -torch.inf
    if written < rules.shortest and rules.ends:
        allowed[:, list(rules.ends)] = -torch.inf
    chosen = allowed.argmax(-1)
    score = likelihood.gather(-1, chosen[:, None])[:, 0]
    forced = torch.full_like(chosen, -1)
    if rules.first is not None and written == 0:
        forced[:] = rules.first
    elif rules.last is not None:
        forced[torch.tensor([most == written + 1 for most in longest], device=chosen.device)] = rules.last
    return torch.where(forced >= 0, forced, chosen), torch.where(forced >= 0, 0.0, score)
