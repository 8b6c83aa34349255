"""Frames of sound become vectors."""

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import expect
from regard.shapes import Features


class FrameEmbedding(nn.Module):
    """Two convolutions over three frames each, of which the second takes every other frame: Radford et al. 2023, 2.2.

    Two frames become one vector; positions are added later.
    """

    features: int
    embedding_dim: int
    convolutions: nn.ModuleList

    def __init__(self, features: int, width: int) -> None:
        super().__init__()
        self.features, self.embedding_dim = features, width  # the width is called as a table of words calls it
        self.convolutions = nn.ModuleList(
            [nn.Conv1d(features, width, 3, padding=1), nn.Conv1d(width, width, 3, stride=2, padding=1)]
        )

    def forward(self, features: Features) -> Float[Tensor, "batch positions width"]:
        expect("a frame", "features", features.shape[1], self.features)
        x = features
        for convolution in self.convolutions:
            x = F.gelu(convolution(x))
        return x.transpose(1, 2)
