"""What does not depend on the query: lazy numbers that are added to the scores of a tile."""

from regard.attention.biases.alibi import Alibi
from regard.attention.biases.bias import Bias
from regard.attention.biases.buckets import Buckets
from regard.attention.biases.given import Given

BIASES = {"alibi": Alibi, "buckets": Buckets, "given": Given}

__all__ = ["BIASES", "Alibi", "Bias", "Buckets", "Given"]
