"""How a stream of vectors is split into heads."""

from dataclasses import dataclass

from regard.errors import ShapeError


@dataclass(frozen=True)
class HeadSplit:
    """How a stream is split into heads.

    `kv_heads` heads of keys and values serve `heads` of queries between them. `remaining_heads` names those that
    pruning left, by the numbers they had before; `heads` and `kv_heads` count those of before, too. Queries and keys
    have `width` numbers in a head, values `value_width`.
    """

    heads: int
    width: int
    kv_heads: int
    remaining_heads: tuple[int, ...]
    value_width: int

    @classmethod
    def of(
        cls,
        width: int,
        heads: int,
        *,
        head_width: int | None = None,
        kv_heads: int | None = None,
        remaining_heads: tuple[int, ...] | None = None,
        value_width: int | None = None,
    ) -> "HeadSplit":
        """Heads that share a stream of this width evenly, unless told otherwise."""
        if heads < 1:
            raise ShapeError(f"at least one head expected, got {heads}")
        if head_width is None and width % heads:
            raise ShapeError(
                f"a width of {width} cannot be split into {heads} heads: give head_width, or another number"
            )
        kv_heads = heads if kv_heads is None else kv_heads
        if kv_heads < 1 or heads % kv_heads:
            raise ShapeError(f"{kv_heads} key heads cannot be shared evenly by {heads} heads")
        for own in (head_width, value_width):
            if own is not None and own < 1:
                raise ShapeError(f"a head has at least one number in each vector, got {own}")
        remaining_heads = tuple(range(heads)) if remaining_heads is None else tuple(sorted(set(remaining_heads)))
        if not remaining_heads or not 0 <= remaining_heads[0] <= remaining_heads[-1] < heads:
            raise ShapeError(
                f"heads to keep are numbered from 0 to {heads - 1}, at least one of them, got {list(remaining_heads)}"
            )
        head_width = width // heads if head_width is None else head_width
        value_width = head_width if value_width is None else value_width
        return cls(heads, head_width, kv_heads, remaining_heads, value_width)

    @property
    def is_pruned(self) -> bool:
        return len(self.remaining_heads) < self.heads

    @property
    def remaining_kv_heads(self) -> tuple[int, ...]:
        """The groups that still serve a head."""
        return tuple(sorted({head * self.kv_heads // self.heads for head in self.remaining_heads}))

    @property
    def kv_head_of(self) -> tuple[int, ...] | None:
        """Which of the groups left serves each head left; None where they still share evenly."""
        mine = tuple(self.remaining_kv_heads.index(head * self.kv_heads // self.heads) for head in self.remaining_heads)
        shared, rest = divmod(len(self.remaining_heads), len(self.remaining_kv_heads))
        even = not rest and mine == tuple(head // shared for head in range(len(self.remaining_heads)))
        return None if even else mine
