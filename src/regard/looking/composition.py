"""How much a later head reads what an earlier one wrote: composition scores. Elhage et al. 2021.

Each head reads and writes the stream through two products: QK (which keys a query matches) and OV (what a key gives).
A score is the size of the product of two of these, as a share of the product of their sizes. Matrices as wide as the
stream are never made: each is a product of thin ones, and sizes come from their small Gram matrices.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.attention.scores.dot import ScaledDot
from regard.attention.scores.softcap import ScaledSoftCap
from regard.errors import RegardError
from regard.layers import MultiHead, TransformerBlock, gain_of
from regard.looking.layer_names import LayerNames, attends_to_source
from regard.looking.own_model import own_model
from regard.pictures import Album, Picture
from regard.pictures.labelled import LabelledNumbers, LabelledResult, NamedAxis

KINDS = ("query", "key", "value")
COMPARES_OTHERWISE = "QK of a head is a product of its projections: this layer compares in another way"


@dataclass(frozen=True, eq=False)
class HeadWeights:
    """The four matrices of every head of a layer, with the gain of the norm before it; vectors of the stream are rows.

    QK is query.T @ key and OV is output @ value, both width x width. Positions that turn queries and keys are left out.
    Where queries and keys are normalised QK is no product, and `has_scores` is False; of a norm of what is written the
    gain is in OV, not the size. Scores that are capped are those before the cap.
    """

    query: Float[Tensor, "heads head_width width"]
    key: Float[Tensor, "heads head_width width"]
    value: Float[Tensor, "heads value_width width"]
    output: Float[Tensor, "heads width value_width"]
    scale: float  # of the dot product
    has_scores: bool = True

    @classmethod
    def of(cls, block: TransformerBlock) -> "HeadWeights":
        """Of the self-attention of a block."""
        attention = block.self
        if not isinstance(attention.score, ScaledDot | ScaledSoftCap | None) or attention.shares:
            raise RegardError(COMPARES_OTHERWISE)
        head_width, value_width = attention.split.width, attention.split.value_width
        heads = len(attention.split.remaining_heads)
        kv_heads = len(attention.split.remaining_kv_heads)
        weight = attention.qkv.weight.detach().double()
        gain = gain_of(block.self_norm) if block.pre_norm else None
        weight = weight if gain is None else weight * gain.detach().double()
        query, key, value = weight.split(attention.sizes)
        kv_head_of = _kv_head_of(attention, heads, kv_heads)
        output = attention.output.weight.detach().double()
        if (written := gain_of(output_norm_of(block))) is not None:
            output = output * written.detach().double()[:, None]
        return cls(
            query.unflatten(0, (heads, head_width)),
            key.unflatten(0, (kv_heads, head_width))[kv_head_of],
            value.unflatten(0, (kv_heads, value_width))[kv_head_of],
            output.unflatten(1, (heads, value_width)).transpose(0, 1),
            head_width**-0.5 if attention.score is None or attention.score.scale is None else attention.score.scale,
            not attention.query_key_norm,
        )


def output_norm_of(block: TransformerBlock) -> nn.Module | None:
    """The norm of what self-attention writes, before it is added."""
    return (block.self_output_norm if block.pre_norm else block.self_norm) if block.output_norm else None


@dataclass(frozen=True, repr=False)
class Composition(LabelledResult):
    """scores[kind][later, earlier]: a number for each pair of their heads, (later heads, earlier heads).

    Kinds say what the later head makes of it: "query" and "key" decide where it looks, "value" what it carries on.
    `chance` is what matrices of random numbers of these sizes score.
    """

    scores: dict[str, dict[tuple[str, str], Float[Tensor, "later earlier"]]]
    chance: float

    def strongest(self, most: int = 10) -> list[tuple[float, str, str, int, str, int]]:
        """The strongest pairs: score, kind, later layer and head, earlier layer and head."""
        entries = [
            (score, kind, later, head, earlier, other)
            for kind, pairs in self.scores.items()
            for (later, earlier), grid in pairs.items()
            for head, row in enumerate(grid.tolist())
            for other, score in enumerate(row)
        ]
        return sorted(entries, reverse=True)[:most]

    def labelled(self) -> LabelledNumbers:
        pictures = self.album().pictures
        heads = [tuple(map(str, side or ())) for side in (pictures[0].rows, pictures[0].columns)]
        axes = (NamedAxis("kind", tuple(self.scores)), *map(NamedAxis, ("later head", "earlier head"), heads))
        return LabelledNumbers([picture.table for picture in pictures], axes)

    def __repr__(self) -> str:
        lines = [
            f"  {score:.3f} {kind}: {later} head {head} reads {earlier} head {other}"
            for score, kind, later, head, earlier, other in self.strongest(5)
        ]
        return "\n".join(["Composition(", *lines, f"  chance {self.chance:.3f})"])

    def plain(self, most: int = 10) -> dict[str, object]:
        """The strongest pairs for JSON."""
        names = ("score", "kind", "later", "head", "earlier", "other")
        return {"chance": self.chance, "pairs": [dict(zip(names, pair, strict=True)) for pair in self.strongest(most)]}

    def album(self) -> Album:
        """A picture for each kind: a row for each head that reads, a column for each that wrote."""
        pictures = []
        for kind, pairs in self.scores.items():
            laters, earliers = (list(dict.fromkeys(pair[side] for pair in pairs)) for side in (0, 1))
            counts = {layer: grid.shape[side] for pair, grid in pairs.items() for side, layer in enumerate(pair)}
            grid = [
                [
                    float(pairs[later, earlier][head, other]) if (later, earlier) in pairs else float("nan")
                    for earlier in earliers
                    for other in range(counts[earlier])
                ]
                for later in laters
                for head in range(counts[later])
            ]
            rows = [f"{later} {head}" for later in laters for head in range(counts[later])]
            columns = [f"{earlier} {head}" for earlier in earliers for head in range(counts[earlier])]
            pictures.append(Picture(grid, rows, columns, f"{kind} composition", scale="largest"))
        return Album(pictures)


@torch.no_grad()
def composition(model: nn.Module) -> Composition:
    """The scores of all pairs of heads of a stack, the later one above the earlier: Q-, K- and V-composition.

    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits; how an induction head is found from weights.
    `model` is ours, or a live one of transformers. Where queries and keys are normalised there is no QK matrix, and of
    the kinds only "value" is told.
    """
    blocks = {
        name: block
        for name, block in LayerNames(own_model(model)).blocks.items()
        if isinstance(block, TransformerBlock)
    }
    weights = {f"{name}.self": HeadWeights.of(block) for name, block in blocks.items()}
    if len(weights) < 2:
        raise RegardError("heads compose across layers: a model of at least two of our blocks expected")
    scores: dict[str, dict[tuple[str, str], Tensor]] = {kind: {} for kind in KINDS}
    names = list(weights)
    for number, later in enumerate(names):
        for earlier in names[:number]:
            if attends_to_source(later) == attends_to_source(earlier):
                for kind, grid in composition_scores(weights[later], weights[earlier]).items():
                    scores[kind][later, earlier] = grid.float()
    scores = {kind: pairs for kind, pairs in scores.items() if pairs}
    first = weights[names[0]]
    return Composition(scores, chance(first.query.shape[2], first.query.shape[1]))


def composition_scores(later: HeadWeights, earlier: HeadWeights) -> dict[str, Tensor]:
    """The three scores of every pair of heads of two layers: (later heads, earlier heads)."""
    writes = earlier.output, earlier.value  # OV = output @ value
    reads = {
        "query": (later.key.transpose(1, 2), later.query),  # QK.T, since the query is what the earlier head wrote
        "key": (later.query.transpose(1, 2), later.key),
        "value": (later.output, later.value),
    }
    kinds = KINDS if later.has_scores else ("value",)
    return {kind: _share(*reads[kind], *writes) for kind in kinds}


def _share(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    """‖A B C D‖ / (‖A B‖ ‖C D‖) for every pair of heads; A, C are (heads, width, head width), B, D the other way."""
    left, right = a.transpose(1, 2) @ a, d @ d.transpose(1, 2)  # Gram matrices, (heads, head width, head width)
    middle = torch.einsum("hiw,kwj->hkij", b, c)
    whole = torch.einsum("hkij,hil,hklm,kjm->hk", middle, left, middle, right)
    first = torch.einsum("hij,hji->h", left, b @ b.transpose(1, 2))
    second = torch.einsum("hij,hji->h", c.transpose(1, 2) @ c, right)
    return (whole.clamp(min=0) / (first[:, None] * second).clamp(min=1e-300)).sqrt()


def chance(width: int, head_width: int, *, seed: int = 1, heads: int = 8) -> float:
    """The mean score of heads of random numbers."""
    generator = torch.Generator().manual_seed(seed)

    def random(*size: int) -> Tensor:
        return torch.randn(heads, *size, generator=generator, dtype=torch.float64)

    thin, wide = (head_width, width), (width, head_width)
    return float(_share(random(*wide), random(*thin), random(*wide), random(*thin)).mean())


def _kv_head_of(attention: MultiHead, heads: int, kv_heads: int) -> list[int]:
    """The key head that each query head looks with."""
    return (
        list(attention.kv_head_of)
        if attention.kv_head_of is not None
        else [head * kv_heads // heads for head in range(heads)]
    )
