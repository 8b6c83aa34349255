"""The attention of one call, before anyone has paid for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.attention import looks, regions, tiles
from regard.attention.biases import Bias
from regard.attention.fits import check
from regard.attention.fixed_weights import FixedWeights, rows_of
from regard.attention.masks import Mask, Padding
from regard.attention.masks.padding import keys_at, positions_from_mask
from regard.attention.normalisers import Normaliser, RowStatistics, Softmax
from regard.attention.pattern_pictures import PatternPictures
from regard.attention.pattern_tiles import compute_statistics, region_weights, visible_rows, weight_tiles
from regard.attention.regions import Indices, full_index, is_number, numbers, refuse
from regard.attention.scores import Dot, Score
from regard.attention.tiles import blocks, free, mask_scores
from regard.attention.values import map_tensors
from regard.errors import RegardError, ShapeError, expect
from regard.pictures.labelled import LabelledNumbers, LabelledResult, numbered
from regard.shapes import Gate, InverseTemperature, Keys, Queries, Values, Weights


@dataclass(frozen=True, eq=False, repr=False)
class Pattern(PatternPictures, LabelledResult):
    """Who looks at whom, in one call of attend(): computed only where somebody asks.

    It defines the weights; the fused kernel is an optimisation that tests hold equal to it. Looks answer exactly,
    in float32 or better, whatever the score, bias and mask. Edits give another Pattern and write no matrix.
    """

    query: Queries
    key: Keys
    score: Score = Dot()
    bias: Bias | None = None
    mask: Mask | None = None
    normaliser: Normaliser = None  # type: ignore[assignment]  # the score's own unless given
    hidden: Bool[Tensor, "#batch keys"] | None = None  # keys taken away by hand
    inverse_temperature: InverseTemperature | None = None  # times score and bias, per head: one over the temperature
    gate: Gate | None = None  # times what a head gathered, before the output projection
    fixed: tuple[FixedWeights, ...] = ()  # rows set by hand for some heads
    value: Values | None = None  # for norm-weighted looks; the weights ignore it
    row_statistics: RowStatistics | None = (
        None  # what the normaliser knows of each row, where the kernel left it behind
    )
    query_positions: Int[Tensor, "#batch queries"] | None = None  # in the text, for edits that name them
    key_positions: Int[Tensor, "#batch keys"] | None = None  # in the text, -1 for padding; None: as the mask tells
    first_key: int = 0  # keys of this text that a cache has dropped before the first one here

    def __post_init__(self) -> None:
        if self.normaliser is None:
            object.__setattr__(self, "normaliser", self.score.normaliser)
        check(self)

    def __repr__(self) -> str:
        batch, heads, queries, keys = self.shape
        parts = [f"{batch} x {heads} heads", f"{queries} queries x {keys} keys", repr(self.score)]
        parts += [repr(part) for part in (self.bias, self.mask) if part is not None]
        edits = {
            "hide": self.hidden,
            "temperature": self.inverse_temperature,
            "scale": self.gate,
            "set": self.fixed or None,
        }
        edited = [name for name, edit in edits.items() if edit is not None]
        return f"Pattern({', '.join(parts + (['edited by ' + ' and '.join(edited)] if edited else []))})"

    def labelled(self) -> LabelledNumbers:
        names = ("batch", "head", "query", "key")
        return LabelledNumbers(self.weights(), tuple(map(numbered, names, self.shape)))

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Batch, heads, queries, keys."""
        batch, heads, queries, _ = self.query.shape
        return batch, heads, queries, self.key.shape[2]

    @property
    def values(self) -> Values:
        """The values, where there are any to gather."""
        if self.value is None and self.key.shape[-1] == 0:
            raise RegardError("this pattern was read off the scores of its layer, whose values are not known")
        if self.value is None:
            raise RegardError("this pattern has no values: attend() gives it some, watch(…, values=True) keeps them")
        return self.value

    @property
    def allowed(self) -> Mask | None:
        """The mask, with what was hidden by hand."""
        if self.hidden is None:
            return self.mask
        hidden = Padding(~self.hidden)
        return self.mask & hidden if self.mask else hidden

    @property
    def positions(self) -> Int[Tensor, "#batch keys"]:
        """Where each key stands in its text, padding not counted; -1 is padding."""
        key_positions = self.key_positions
        return (
            positions_from_mask(self.mask, self.first_key, self.shape[3], self.query.device)
            if key_positions is None
            else key_positions
        )

    # ---- edits

    def hide(self, positions: Sequence[int] | Tensor) -> "Pattern":
        """Nobody sees the tokens at these positions; padding does not count. Or a bool tensor (batch or 1, keys)."""
        hidden = keys_at(positions, self.positions).to(self.query.device)
        return replace(self, hidden=hidden if self.hidden is None else self.hidden | hidden, row_statistics=None)

    def with_temperature(self, temperature: float, heads: Indices | None = None) -> "Pattern":
        """Scores divided by a temperature: towards uniform above 1, towards the best key below."""
        if not temperature > 0:
            raise ShapeError(f"a temperature is above 0, got {temperature}")
        if not self.normaliser.tempers:
            raise RegardError(f"{self.normaliser!r} has no temperature: only softmax and hard attention have one")
        factor = self.zeros(self.shape[1]) + 1
        factor[numbers(heads, self.shape[1], "head")] /= temperature
        return replace(
            self,
            inverse_temperature=factor if self.inverse_temperature is None else self.inverse_temperature * factor,
            row_statistics=None,
        )

    def scale(self, factor: float | Tensor, heads: Indices | None = None) -> "Pattern":
        """What these heads gather is multiplied, before the output projection; 0 switches them off.

        A tensor holds one number for all, one per head, or (batch, heads).
        """
        chosen = numbers(heads, self.shape[1], "head")
        gate = torch.as_tensor(factor, dtype=self.query.dtype, device=self.query.device)
        try:
            gate = gate.expand(gate.shape[0] if gate.ndim == 2 else 1, len(chosen))
        except RuntimeError:
            wanted = f"(batch or 1, {len(chosen)} heads)"
            raise ShapeError(f"a factor that fits {wanted} expected, got {tuple(gate.shape)}") from None
        expect("factor", "batch members", len(gate), self.shape[0], 1)
        everyone = gate.new_ones(len(gate), self.shape[1])
        gate = everyone.index_copy(1, torch.tensor(chosen, dtype=torch.long, device=gate.device), gate)
        return replace(self, gate=gate if self.gate is None else self.gate * gate)

    def set(
        self, weights: Tensor, heads: Indices | None = None, rows: Indices | None = None, batch: Indices | None = None
    ) -> "Pattern":
        """These rows of these heads are what you say, whatever else is hidden or tempered.

        Weights are (keys), (rows, keys), (heads, rows, keys) or have the batch before; each row sums to 1, or to 0.
        """
        size, count, queries, keys = self.shape
        chosen, lines = numbers(heads, count, "head"), numbers(rows, queries, "query")
        members = None if batch is None else tuple(numbers(batch, size, "batch member"))
        sizes = (size if members is None else len(members), len(chosen), len(lines), keys)
        sums = (0.0, 1.0) if self.score.focuses else self.normaliser.sums
        full = rows_of(torch.as_tensor(weights, device=self.query.device), sizes, sums)
        fixed = FixedWeights(tuple(chosen), tuple(lines), full, members)
        return replace(self, fixed=(*(earlier for earlier in self.fixed if not fixed.covers(earlier)), fixed))

    # ---- looks

    def __getitem__(self, region: object) -> Tensor:
        """The exact weights of a region: exp(score - logsumexp), zero where the mask forbids.

        Indices are batch, head, query, key; each a number, a slice or a list of numbers.
        """
        indices = full_index(region if isinstance(region, tuple) else (region,), 4)
        names = ("batch member", "head", "query", "key")
        chosen = [numbers(index, size, name) for index, size, name in zip(indices, self.shape, names, strict=True)]
        refuse(self.query.dtype, [len(index) for index in chosen], "take a smaller region")
        tile = region_weights(self, *chosen)
        return tile[tuple(0 if is_number(index) else slice(None) for index in indices)]

    def row(self, query: int) -> Tensor:
        """What one query looks at: (batch, heads, keys)."""
        return self[:, :, query]

    def column(self, key: int) -> Tensor:
        """How much each query looks at one key: (batch, heads, queries)."""
        return self[:, :, :, key]

    def top(self, k: int) -> looks.TopKeys:
        """The k keys that each query looks at most, largest first: .weights and .positions."""
        batch, heads, queries, keys = self.shape
        if k < 1:
            raise ShapeError(f"top takes 1 key or more, got {k}")
        size = (batch, heads, queries, min(k, keys))
        empty = looks.TopKeys(self.zeros(*size), torch.full(size, -1, device=self.query.device))
        if self.fixed or self.score.focuses or not isinstance(self.normaliser, Softmax):
            return looks.top(weight_tiles(self), empty, absent=0)
        # The best score is the best weight, so that only those that are found need their weight.
        best = looks.top(weight_tiles(self, Pattern.scores, strips=4), empty, absent=-torch.inf)
        return looks.TopKeys((best.weights - self.statistics[0]).exp(), best.positions)

    def pool(self, rows: int, columns: int, how: looks.How = "mean") -> Tensor:
        """An overview (batch, heads, rows, columns): each cell the mean or the maximum of its region."""
        batch, heads, queries, keys = self.shape
        for size, cells in ((queries, rows), (keys, columns)):
            looks.edges(size, cells)  # refuses, before room is made for them
        return looks.pool(weight_tiles(self), self.zeros(batch, heads, rows, columns), queries, keys, how)

    def entropy(self) -> Tensor:
        """How widely each query looks, in nats: (batch, heads, queries)."""
        return looks.entropy(weight_tiles(self), self.zeros(*self.shape[:3]))

    def received(self) -> Tensor:
        """How much each key is looked at by all queries together: (batch, heads, keys)."""
        batch, heads, _, keys = self.shape
        return looks.received(weight_tiles(self), self.zeros(batch, heads, keys))

    def weights(self, *, force: bool = False) -> Weights:
        """All of it at once. Refused above 1 GiB unless forced: the other looks need no such matrix."""
        if not force:
            refuse(
                self.query.dtype,
                self.shape,
                "use pattern[b, h, i:j, k:l], top(k) or pool(rows, columns), or force=True",
            )
        return region_weights(self, *(list(range(size)) for size in self.shape))

    @property
    def logsumexp(self) -> Tensor:
        """One number per query, (batch, heads, queries); with it any tile can be had alone.

        Of scores with bias and temperature, as the weights come from them; -inf where a query sees nothing.
        """
        if not isinstance(self.normaliser, Softmax):
            raise RegardError(f"{self.normaliser!r} has no log-sum-exp: only softmax has one")
        total = self.statistics[0].squeeze(-1)
        queries, keys = self.shape[2:]
        if not keys:
            return torch.full_like(total, -torch.inf)
        if self.allowed is None and self.bias is None:
            return total
        # What is known says 0 where nothing is visible, so that only rows of 0 need a second look.
        columns = torch.arange(keys, device=total.device)
        for rows in (total == 0).flatten(0, 1).any(0).nonzero().squeeze(-1).split(tiles.ROWS):
            sees = visible_rows(self, rows + keys - queries, columns)
            total = total.index_copy(2, rows, torch.where(sees, total[:, :, rows], -torch.inf))
        return total

    # ---- how a region is computed

    def narrow(self, batch: slice, heads: slice) -> "Pattern":
        """The same pattern for some members of the batch and some heads, a whole number of groups or part of one."""
        shared = self.query.shape[1] // self.key.shape[1]
        kv_heads = slice(heads.start // shared, (heads.stop - 1) // shared + 1)
        return replace(
            self,
            query=self.query[batch, heads],
            key=self.key[batch, kv_heads],
            value=None if self.value is None else self.value[batch, kv_heads],
            **self.parts(batch, heads),
        )

    def parts(self, batch: slice, heads: slice) -> dict[str, object]:
        """Everything but query, key and value, for some members of the batch and some heads."""
        return {
            "score": self.score.heads(heads),
            "normaliser": self.normaliser.heads(heads),
            "bias": self.bias and self.bias.part(batch, heads),
            "mask": self.mask and self.mask.part(batch, heads),
            "hidden": regions.members(self.hidden, batch),
            "inverse_temperature": None if self.inverse_temperature is None else self.inverse_temperature[heads],
            "gate": None if self.gate is None else self.gate[batch if len(self.gate) > 1 else slice(None), heads],
            "fixed": tuple(fixed.part(batch, heads) for fixed in self.fixed),
            "row_statistics": self.row_statistics and tuple(part[batch, heads] for part in self.row_statistics),
            "query_positions": regions.members(self.query_positions, batch),
            "key_positions": regions.members(self.key_positions, batch),
        }

    def scores(self, rows: slice, columns: slice) -> Tensor:
        """Scores with bias and temperature, -inf where the mask forbids: (batch, heads, rows, columns)."""
        kind = self.query.device.type
        if torch.is_autocast_enabled(kind):  # looks are exact wherever one asks
            with torch.autocast(kind, enabled=False):
                return self.scores(rows, columns)
        query, key = self.query[:, :, rows], self.key[:, :, columns]
        if query.dtype.itemsize < 4:
            query, key = query.float(), key.float()
        if key.shape[1] != query.shape[1]:
            key = key.repeat_interleave(query.shape[1] // key.shape[1], dim=1)
        row_places, column_places = self.indices(rows, columns)
        scores = self.score.tile(query, key, row_places, column_places)
        if self.bias is not None:
            scores = scores + self.bias.tile(row_places, column_places)
        if self.inverse_temperature is not None:
            scores = scores * self.inverse_temperature[:, None, None]
        if allowed := self.allowed:
            scores = mask_scores(
                scores, allowed, row_places, column_places, free(allowed, rows, columns, *self.shape[2:])
            )
        return scores

    def indices(self, rows: slice, columns: slice) -> tuple[Tensor, Tensor]:
        """The positions of these queries and keys: the last query stands beside the last key."""
        _, _, queries, keys = self.shape
        behind, device = keys - queries, self.query.device
        row_places = torch.arange(rows.start + behind, rows.stop + behind, device=device)
        return row_places, torch.arange(columns.start, columns.stop, device=device)

    def tile(self, rows: slice, columns: slice) -> Tensor:
        """The weights of some rows and columns, for the whole batch and all heads."""
        scores, columns_at = self.scores(rows, columns), self.indices(rows, columns)[1]
        if self.row_statistics is None and columns == slice(0, self.shape[3]):
            weights = self.normaliser.whole(scores, columns_at)
        else:
            weights = self.normaliser.weights(scores, tuple(part[:, :, rows] for part in self.statistics), columns_at)
        weights = self.focus(weights, rows, columns)
        for fixed in self.fixed:
            weights = fixed.put_rows(weights, rows, columns)
        return weights

    def focus(self, weights: Tensor, rows: slice, columns: slice) -> Tensor:
        """Normalised weights, multiplied by what a score may have to say once it was normalised."""
        if not self.score.focuses:
            return weights
        query, key = self.query[:, :, rows].to(weights.dtype), self.key[:, :, columns].to(weights.dtype)
        return weights * self.score.focus(query, key.repeat_interleave(query.shape[1] // key.shape[1], dim=1))

    def blocks(self, strip: int | None = None) -> Iterator[tuple[slice, slice, list[slice]]]:
        """Members, heads and rows that are worked on together, over all their keys or a strip of so many at a time."""
        allowed = None if self.fixed else self.allowed  # rows set by hand may look anywhere
        return blocks(self.shape, self.key.shape[1], allowed, self.score.cost, strip)

    @property
    def statistics(self) -> RowStatistics:
        """What the normaliser has to know of each row: a pass over all scores, unless the kernel left it behind.

        Kept for the next look, save where gradients flow: what was read without them would end them silently.
        """
        if self.row_statistics is not None:
            return self.row_statistics
        cached = self.__dict__.setdefault("_known", {})
        with_grad = torch.is_grad_enabled()
        if with_grad in cached:
            return cached[with_grad]
        row_statistics = compute_statistics(self)
        if not any(part.requires_grad for part in row_statistics):
            cached[with_grad] = row_statistics
        return row_statistics

    def zeros(self, *size: int) -> Tensor:
        """Zeros in the dtype that looks answer in."""
        return torch.zeros(size, dtype=torch.promote_types(self.query.dtype, torch.float32), device=self.query.device)

    # ---- over time

    def with_tensors(self, change: Callable[[Tensor], Tensor]) -> "Pattern":
        """The same pattern with every tensor in it changed: detached, copied, moved."""
        return map_tensors(self, change)

    @staticmethod
    def join(steps: Sequence["Pattern"]) -> "Pattern":
        """The patterns of one decoding, step by step, as the pattern of the whole.

        Keys either grow with the queries (self-attention with a cache) or stay (cross-attention).
        """
        from regard.attention.steps import join_steps

        return join_steps(steps)
