"""What heads do, told from where they look: previous tokens, duplicates, what followed before, sinks, positions.

A detector names the keys that its kind of head would look at. A head's score is the weight that it gives them, over the
queries that have any, less what a head that looks evenly would give, as a share of what it could give more: 1 where it
looks nowhere else, about 0 where chance would do. All scores come from one pass over tiles of the weights.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention import Pattern
from regard.attention.pattern_tiles import weight_tiles
from regard.errors import ShapeError
from regard.looking.layer_names import LayerNames, attends_to_source
from regard.looking.watch import watch
from regard.pictures import Album, Picture
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis, numbered
from regard.shapes import AttentionMask, Columns, Rows, Tokens

LEAST = 0.4
"""The score from which on a head counts as one of its kind."""

ROWS = 256  # queries whose mask is asked for at once
TOKEN_NAMES = ("source", "input_ids", "decoder_input_ids", "target")

Matches = Bool[Tensor, "batch rows columns"]
Detector = Callable[[Tokens, Rows, Columns], Matches]


def previous(tokens: Tokens, rows: Rows, columns: Columns) -> Matches:
    """The token before."""
    return (columns == rows[:, None] - 1).expand(len(tokens), -1, -1)


def duplicate(tokens: Tokens, rows: Rows, columns: Columns) -> Matches:
    """Earlier positions of the same token: Wang et al. 2023."""
    return (tokens[:, rows, None] == tokens[:, None, columns]) & (columns < rows[:, None])


def induction(tokens: Tokens, rows: Rows, columns: Columns) -> Matches:
    """What followed earlier positions of the same token: Elhage et al. 2021, Olsson et al. 2022."""
    before = tokens[:, None, (columns - 1).clamp(min=0)]
    return (tokens[:, rows, None] == before) & (columns > 0) & (columns < rows[:, None])


DETECTORS: dict[str, Detector] = {"previous": previous, "duplicate": duplicate, "induction": induction}
"""Kinds of heads that are told by the keys they look at; "sink" and "positional" are told by all of them."""


class CircuitHead(NamedTuple):
    """A head of some kind."""

    kind: str
    layer: str
    head: int
    score: float


@dataclass(frozen=True, repr=False)
class Circuits(LabelledResult):
    """How much every head is of every kind: scores[kind][layer] has a number for each head."""

    scores: dict[str, dict[str, Float[Tensor, "heads"]]]

    def labelled(self) -> LabelledNumbers:
        layers = tuple(next(iter(self.scores.values())))
        most = max(len(row) for rows in self.scores.values() for row in rows.values())
        values = torch.full((len(self.scores), len(layers), most), torch.nan)
        for kind, rows in enumerate(self.scores.values()):
            for layer, row in enumerate(rows.values()):
                values[kind, layer, : len(row)] = row
        axes = (NamedAxis("kind", tuple(self.scores)), NamedAxis("layer", layers), numbered("head", most))
        return LabelledNumbers(values, axes)

    def __repr__(self) -> str:
        lines = [f"  {head.kind}: {head.layer} head {head.head}, {head.score:.2f}" for head in self.heads()]
        return "\n".join(["Circuits(", *(lines or ["  no head is clearly of a kind"]), ")"])

    def heads(self, least: float = LEAST) -> list[CircuitHead]:
        """The heads that are of some kind, the clearest first within each."""
        heads = [
            CircuitHead(kind, layer, head, score)
            for kind, layers in self.scores.items()
            for layer, row in layers.items()
            for head, score in enumerate(row.tolist())
            if score >= least
        ]
        kinds = list(self.scores)
        return sorted(heads, key=lambda entry: (kinds.index(entry.kind), -entry.score))

    def plain(self, least: float = LEAST) -> dict[str, object]:
        """The heads found and all scores, for JSON."""
        scores = {kind: {layer: row.tolist() for layer, row in layers.items()} for kind, layers in self.scores.items()}
        return {"heads": [circuit_head._asdict() for circuit_head in self.heads(least)], "scores": scores}

    def album(self) -> Album:
        """A picture for each kind: a row for each layer, a column for each head."""
        pictures = []
        for kind, layers in self.scores.items():
            most = max(len(row) for row in layers.values())
            grid = [row.tolist() + [float("nan")] * (most - len(row)) for row in layers.values()]
            pictures.append(Picture(grid, list(layers), [str(head) for head in range(most)], f"{kind} heads"))
        return Album(pictures)


@torch.no_grad()
def circuits(model: nn.Module, *inputs: Tensor, tokens: Tokens | None = None, **kwargs: object) -> Circuits:
    """Run a model and tell what the heads of its self-attention do: induction heads (Olsson et al. 2022), those of the
    previous and of duplicate tokens, attention sinks, positional heads. Of our models and live ones.

    `inputs` and `kwargs` are what it is called with; `tokens` are those of the side that writes, the last of the inputs
    unless given. Repeated random tokens show induction best: see `repeated_tokens`.
    """
    source, written = tokens_read(inputs, kwargs)
    tokens = written if tokens is None else tokens
    names = _selves(model)
    with watch(model, *names) as seen:
        model(*inputs, **kwargs)
    has_two_sides = any(not attends_to_source(name) for name in names) and any(
        attends_to_source(name) for name in names
    )
    scores: dict[str, dict[str, Tensor]] = {}
    for name in names:
        layer_tokens = source if has_two_sides and attends_to_source(name) else tokens
        for kind, row in detect(seen[name], layer_tokens, attention_mask_of(seen[name])).items():
            scores.setdefault(kind, {})[name] = row
    return Circuits(scores)


def tokens_read(inputs: Sequence[Tensor], kwargs: Mapping[str, object]) -> tuple[Tensor, Tensor]:
    """The tokens of the first and of the last text that a model is called with, whatever it calls them."""
    named = [kwargs[name] for name in TOKEN_NAMES if name in kwargs]
    tensors = [x for x in (*inputs, *named) if isinstance(x, Tensor)]
    if not tensors:
        raise ShapeError(f"a model is called with tokens: {', '.join(TOKEN_NAMES)} or the first arguments")
    return tensors[0], tensors[-1]


def attention_mask_of(pattern: Pattern) -> AttentionMask:
    """Which of the tokens that look at themselves are no padding, as the pattern's own mask tells."""
    return (pattern.positions >= 0).expand(len(pattern.query), -1)


def detect(
    pattern: Pattern, tokens: Tokens, attention_mask: AttentionMask | None = None
) -> dict[str, Float[Tensor, "heads"]]:
    """The scores of every head of one pattern, over a batch."""
    batch, heads, queries, keys = pattern.shape
    if tokens.shape != (batch, queries) or queries != keys:
        raise ShapeError(f"a token for each of {queries} queries and {keys} keys expected, got {tuple(tokens.shape)}")
    attention_mask = torch.ones_like(tokens, dtype=torch.bool) if attention_mask is None else attention_mask
    device = pattern.query.device
    tokens, attention_mask = tokens.to(device), attention_mask.to(device)
    weight_given = {kind: torch.zeros(batch, heads, queries, device=device) for kind in DETECTORS}
    visible_counts = torch.zeros(batch, queries, device=device)
    matching_counts = {kind: torch.zeros(batch, queries, device=device) for kind in DETECTORS}
    received = torch.zeros(batch, heads, keys, device=device)
    counted_tiles = set()
    for (members, head_range, rows, columns), weights in weight_tiles(pattern):
        i, j = (torch.arange(run.start, run.stop, device=device) for run in (rows, columns))
        matches = {kind: detector(tokens[members], i, j) for kind, detector in DETECTORS.items()}
        for kind, is_match in matches.items():
            weight_given[kind][members, head_range, rows] += (weights * is_match[:, None]).sum(-1)
        received[members, head_range, columns] += (weights * attention_mask[members, None, rows, None]).sum(-2)
        if (
            tile_start := (members.start, rows.start, columns.start)
        ) not in counted_tiles:  # for one head, all heads see alike
            counted_tiles.add(tile_start)
            allowed = _allowed(pattern, members, i, j) & attention_mask[members, None, columns]
            visible_counts[members, rows] += allowed.sum(-1)
            for kind, is_match in matches.items():
                matching_counts[kind][members, rows] += (is_match & allowed).sum(-1)
    scores = {}
    for kind in DETECTORS:
        valid = (matching_counts[kind] > 0) & attention_mask & (matching_counts[kind] < visible_counts)
        scores[kind] = _lifted(weight_given[kind], matching_counts[kind] / visible_counts.clamp(min=1), valid)
    scores["sink"] = _sink(pattern, received, visible_counts, attention_mask)
    scores["positional"] = _positional(pattern, attention_mask)
    return scores


def _lifted(weight_given: Tensor, even_weight: Tensor, valid: Tensor) -> Tensor:
    """The weight given, above what looking evenly would give: (heads,), all queries of the batch together."""
    if not bool(valid.any()):
        return torch.zeros(weight_given.shape[1], device=weight_given.device)
    mean = (weight_given * valid[:, None]).sum((0, 2)) / valid.sum()
    chance = (even_weight * valid).sum() / valid.sum()
    return (mean - chance) / (1 - chance).clamp(min=1e-6)


def _sink(pattern: Pattern, received: Tensor, visible_counts: Tensor, attention_mask: Tensor) -> Tensor:
    """The share of all weight that the key most looked at is given, above what looking evenly would give it."""
    total = attention_mask.sum(-1).clamp(min=1)[:, None]
    even = torch.zeros_like(received[:, 0])
    columns = torch.arange(even.shape[1], device=even.device)
    for rows in columns.split(ROWS):
        allowed = (
            _allowed(pattern, slice(0, len(attention_mask)), rows, columns)
            & attention_mask[:, None, :]
            & attention_mask[:, rows, None]
        )
        even += (allowed / visible_counts[:, rows, None].clamp(min=1)).sum(1)
    chance = (even / total).amax(-1).mean()
    return ((received / total[:, None]).amax(-1).mean(0) - chance) / (1 - chance).clamp(min=1e-6)


def _positional(pattern: Pattern, attention_mask: Tensor) -> Tensor:
    """How often a head looks most at one and the same distance, whatever stands there: Voita et al. 2019, 5.1.

    Queries that see fewer than three keys have no choice and do not count.
    """
    _, heads, queries, keys = pattern.shape
    positions = pattern.top(1).positions[..., 0]  # (batch, heads, queries)
    distance = positions - torch.arange(queries, device=positions.device)
    counts = attention_mask & (attention_mask.cumsum(-1) > min(2, queries - 1))
    is_counted = counts[:, None] & (positions >= 0)
    shares = []
    for head in range(heads):
        head_distances = distance[:, head][is_counted[:, head]] + keys
        shares.append(float(head_distances.bincount().max()) / len(head_distances) if len(head_distances) else 0.0)
    return torch.tensor(shares, device=positions.device)


def _allowed(pattern: Pattern, members: slice, rows: Tensor, columns: Tensor) -> Tensor:
    """Which of these keys the queries see, in the first head: (batch, rows, columns)."""
    mask = pattern.allowed
    size = (members.stop - members.start, len(rows), len(columns))
    if mask is None:
        return torch.ones(size, dtype=torch.bool, device=rows.device)
    tile = mask.tile(rows, columns)
    return tile[members if len(tile) > 1 else slice(None), 0].expand(size)


def _selves(model: nn.Module) -> list[str]:
    """Where a model looks at the text that it reads."""
    return LayerNames(model).match(["*self"], among=LayerNames(model).layers)


def repeated_tokens(
    vocabulary: int, length: int = 64, batch: int = 4, *, seed: int = 1, first: int | None = None
) -> Tokens:
    """Random tokens, then the same once more: what only a head that looks for repetition can foresee.

    `first` begins every text, as a model's own token for that does.
    """
    generator = torch.Generator().manual_seed(seed)
    half = torch.randint(vocabulary, (batch, length), generator=generator)
    begin = [] if first is None else [torch.full((batch, 1), first)]
    return torch.cat([*begin, half, half], 1)
