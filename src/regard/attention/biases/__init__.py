"""What does not depend on the query: lazy numbers that are added to the scores of a tile."""

from regard.attention.biases.alibi import AlibiBias
from regard.attention.biases.bias import Bias
from regard.attention.biases.buckets import BucketBias
from regard.attention.biases.dense import DenseBias

BIASES: dict[str, type[Bias]] = {"alibi": AlibiBias, "buckets": BucketBias, "dense": DenseBias}

__all__ = ["BIASES", "AlibiBias", "Bias", "BucketBias", "DenseBias"]
