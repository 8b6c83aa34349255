"""Every tensor shape has a name here; signatures use the name and the tests check it.

`heads` counts query heads, `kv_heads` the key and value heads that they share (equal without grouping).
A position is counted in the sequence of keys; the last query stands beside the last key.
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.processor import keep_off_broken_tiles

keep_off_broken_tiles()  # here, because whatever multiplies has come by this file before

Tokens = Int[Tensor, "batch length"]
AttentionMask = Bool[Tensor, "batch length"]
"""True where there is a token, False where there is padding."""
Features = Float[Tensor, "batch features frames"]
"""Sound, as log-mel spectrograms have it: so many numbers for every frame."""
Logits = Float[Tensor, "batch length vocabulary"]
Stream = Float[Tensor, "batch length width"]
"""The vectors that run through a stack, one per token."""

Queries = Float[Tensor, "batch heads queries query_width"]
Keys = Float[Tensor, "batch kv_heads keys key_width"]
Values = Float[Tensor, "batch kv_heads keys value_width"]
AttentionOutput = Float[Tensor, "batch heads queries value_width"]
Weights = Float[Tensor, "batch heads queries keys"]
Gate = Float[Tensor, "#batch heads"]
InverseTemperature = Float[Tensor, "heads"]

Rows = Int[Tensor, "rows"]
"""The positions of some queries."""
Columns = Int[Tensor, "columns"]
"""The positions of some keys."""
Positions = Int[Tensor, "#batch length"]
"""The position of every token of a batch; padding does not count."""
Heads = Float[Tensor, "batch heads length head_width"]
"""Queries or keys before positions are rotated in."""

Tile = Float[Tensor, "#batch #heads rows columns"]
Allowed = Bool[Tensor, "#batch #heads rows columns"]
"""A region of a mask: True = may look. Sizes of 1 broadcast."""
