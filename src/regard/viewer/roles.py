"""What heads do, in a few words: where each looks, on the tokens of one run.

A role names the keys that its kind of head would look at. A head's score is the weight that it gives them, above what
looking evenly would give, as a share of what it could give more: the score of `regard.looking.circuits`, whose
detectors of previous tokens, duplicates and induction are used as they are. Beside them stand the next token, the token
itself, the first one, the marks that end a sentence and, where one text looks at another, what the task aligns.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from regard.attention import Pattern
from regard.errors import RegardError
from regard.looking.circuits import DETECTORS
from regard.viewer.finished_run import FinishedRun
from regard.viewer.payload import HeadRole, HeadRoles, TokenColumn

LONGEST = 1024  # tokens of a run whose heads are named
FEWEST = 3  # queries with a choice, below which nothing is said
STOPS = frozenset(".!?;。！？")

Matches = Tensor  # (rows, columns), True where a head of this kind would look
Relation = Callable[[int, int], Matches]


def offset(distance: int) -> Relation:
    """Keys so many positions after the query."""
    return lambda rows, columns: torch.arange(columns) == torch.arange(rows)[:, None] + distance


def first(rows: int, columns: int) -> Matches:
    return (torch.arange(columns) == 0).expand(rows, -1)


def head_roles(run: FinishedRun) -> HeadRoles:
    """The score of every head for every role that its layer can have; roles without a key to look at are left out."""
    sides = {side.name: side for side in run.result.sides}
    if any(len(side.ids) != len(side.texts) for side in sides.values()):
        return HeadRoles(roles=[])  # sentences or names, not tokens
    longest = max(len(side.ids) for side in sides.values())
    if longest > LONGEST:
        raise RegardError(f"heads are named on texts of at most {LONGEST} tokens, this one has {longest}")
    roles = []
    for layer, watched in run.result.layers.items():
        pattern = run.patterns[layer]
        columns = sides[watched.columns]
        matches = stop_matches(pattern, columns)
        if watched.rows == watched.columns:
            matches |= self_matches(pattern, columns)
        elif run.result.alignment is not None:
            matches |= {"aligns": aligned(pattern, run.result.alignment.weights)}
        weights = pattern.weights()[0].float().cpu()
        allowed = allowed_pairs(pattern)
        for kind, is_match in matches.items():
            scores = lifted(weights, is_match & allowed, allowed)
            if scores is not None:
                roles += [
                    HeadRole(layer=layer, head=head, kind=kind, score=score)
                    for head, score in enumerate(scores.tolist())
                ]
    return HeadRoles(roles=roles)


def self_matches(pattern: Pattern, side: TokenColumn) -> dict[str, Matches]:
    """What a text can look at in itself."""
    queries, keys = pattern.shape[2:]
    tokens = torch.tensor([side.ids[:keys]])
    positions = torch.arange(queries), torch.arange(keys)
    found = {kind: detector(tokens, *positions)[0] for kind, detector in DETECTORS.items()}
    relations: dict[str, Relation] = {"next": offset(1), "itself": offset(0), "first": first}
    return found | {kind: relation(queries, keys) for kind, relation in relations.items()}


def stop_matches(pattern: Pattern, side: TokenColumn) -> dict[str, Matches]:
    """Keys that end a sentence or the text."""
    queries, keys = pattern.shape[2:]
    marks = torch.tensor(
        [
            (text.strip() in STOPS and bool(text.strip())) or (special and 0 < index == keys - 1)
            for index, (text, special) in enumerate(zip(side.texts[:keys], side.special[:keys], strict=True))
        ]
    )
    return {"stop": marks.expand(queries, -1)}


def aligned(pattern: Pattern, weights: list[list[float]]) -> Matches:
    """For each written token the source token that the task aligns it with."""
    queries, keys = pattern.shape[2:]
    matches = torch.zeros(queries, keys, dtype=torch.bool)
    for row, line in enumerate(weights[:queries]):
        matches[row, int(torch.tensor(line).argmax())] = True
    return matches


def allowed_pairs(pattern: Pattern) -> Matches:
    queries, keys = pattern.shape[2:]
    if pattern.allowed is None:
        return torch.ones(queries, keys, dtype=torch.bool)
    tile = pattern.allowed.tile(*pattern.indices(slice(0, queries), slice(0, keys)))
    return tile.expand(1, 1, queries, keys)[0, 0].cpu() if tile.dim() == 4 else tile.expand(queries, keys).cpu()


def lifted(weights: Tensor, is_match: Matches, allowed: Matches) -> Tensor | None:
    """The mean weight on matching keys above what looking evenly would give: one score a head, None where hardly a
    query has a choice."""
    matching, visible = is_match.sum(-1), allowed.sum(-1)
    valid = (matching > 0) & (matching < visible)
    if int(valid.sum()) < FEWEST:
        return None
    given = (weights * is_match).sum(-1)[:, valid].mean(-1)
    chance = (matching[valid] / visible[valid]).mean()
    return (given - chance) / (1 - chance).clamp(min=1e-6)
