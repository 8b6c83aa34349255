"""Queries and keys of a size, so that no score grows large."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn


class QueryKeyNorm(nn.Module):
    """A norm of queries and one of keys, before positions turn them: Henry et al. 2020; Dehghani et al. 2023.

    Of each head alone, the same for all; or, with `is_joint`, of all heads together.
    """

    query: nn.Module
    key: nn.Module
    is_joint: bool

    def __init__(
        self,
        norm: Callable[[int], nn.Module],
        head_width: int,
        heads: int,
        kv_heads: int,
        *,
        is_joint: bool = False,
    ) -> None:
        super().__init__()
        self.is_joint = is_joint
        self.query = norm(heads * head_width if is_joint else head_width)
        self.key = norm(kv_heads * head_width if is_joint else head_width)

    def forward(
        self,
        query: Float[Tensor, "batch heads queries width"],
        key: Float[Tensor, "batch kv_heads keys width"] | None,
    ) -> tuple[Tensor, Tensor | None]:
        """Both, normalised; no keys where there are none."""
        return self._normalise(self.query, query), None if key is None else self._normalise(self.key, key)

    def _normalise(self, norm: nn.Module, x: Tensor) -> Tensor:
        if not self.is_joint:
            return norm(x)
        return norm(x.transpose(1, 2).flatten(2)).unflatten(2, (x.shape[1], x.shape[3])).transpose(1, 2)
