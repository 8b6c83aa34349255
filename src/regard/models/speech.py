"""Hears sound and writes text: Whisper."""

import math

import torch
from jaxtyping import Bool, Int
from torch import Tensor, nn

from regard.config import FeatureStackConfig, SpeechConfig
from regard.errors import ShapeError
from regard.layers import Dropout, FrameEmbedding, Output, Stack
from regard.models.decoder_state import DecoderState, decode_step, empty_caches
from regard.models.embedded_stack import EmbeddedStack
from regard.models.parts import build_output, build_stack
from regard.positions import LearnedPositions, positions_of
from regard.shapes import AttentionMask, Features, Stream, Tokens


class FeatureStack(nn.Module):
    """Frames with their positions, through a stack that reads both ways. The positions are sinusoids, and stay so."""

    embedding: FrameEmbedding
    position: LearnedPositions
    dropout: Dropout
    stack: Stack

    def __init__(self, config: FeatureStackConfig) -> None:
        super().__init__()
        width = config.stack.width
        self.embedding = FrameEmbedding(config.features, width)
        self.position = LearnedPositions(config.max_positions, width).requires_grad_(False)
        with torch.no_grad():
            self.position.table.weight.copy_(sinusoids(config.max_positions, width))
        self.dropout = Dropout(config.dropout)
        self.stack = build_stack(config.stack)

    def forward(self, features: Features) -> Stream:
        x = self.embedding(features)
        positions = positions_of(None, x.shape[1], device=x.device)
        return self.stack(self.dropout(self.position.embed(x, positions)), positions=positions)


class SpeechTransformer(nn.Module):
    """An encoder hears log-mel spectrograms, a decoder writes what was said: Radford et al. 2023.

    As `Transformer`, but for its source, which is features (batch, features, frames) instead of tokens, and is heard
    whole: silence is a sound, and there is no padding.
    """

    config: SpeechConfig
    encoder: FeatureStack
    decoder: EmbeddedStack
    output: Output | None

    def __init__(self, config: SpeechConfig) -> None:
        super().__init__()
        self.config = config
        width, norm = config.decoder.stack.width, config.decoder.stack.norm
        self.encoder = FeatureStack(config.encoder)
        self.decoder = EmbeddedStack(config.decoder, is_causal=True, source_width=config.encoder.stack.width)
        self.output = build_output(config.output, self.decoder.embedding, width, norm) if config.output else None

    def forward(
        self,
        source: Features,
        target: Int[Tensor, "batch written"],
        *,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """Scores of the word that follows each target token, all at once: teacher forcing."""
        x = self.hidden(source, target, target_attention_mask=target_attention_mask)
        return x if self.output is None else self.output(x)

    def hidden(
        self,
        source: Features,
        target: Int[Tensor, "batch written"],
        *,
        target_attention_mask: Bool[Tensor, "batch written"] | None = None,
    ) -> Tensor:
        """The vectors from which words are chosen."""
        return self.decoder(target, attention_mask=target_attention_mask, source=self.encode(source))

    def encode(self, source: Features) -> Stream:
        """A vector for every two frames, as the decoder looks at them."""
        return self.encoder(source)

    def start(self, source: Features, attention_mask: AttentionMask | None = None) -> DecoderState:
        """The sound heard, nothing written."""
        if attention_mask is not None:
            raise ShapeError("features are heard whole, silence included: no attention_mask expected")
        return DecoderState(empty_caches(self.config.decoder.stack.layers), source=self.encode(source))

    def step(
        self, state: DecoderState, tokens: Tokens, attention_mask: AttentionMask | None = None
    ) -> tuple[Tensor, DecoderState]:
        """Write on; the scores of the word that follows the last token: (batch, 1, vocabulary)."""
        assert self.output is not None
        return decode_step(self.decoder, self.output, state, tokens, attention_mask)


def sinusoids(length: int, width: int) -> Tensor:
    """Sines in the first half of each vector and cosines in the second, of wavelengths from 2π to 20,000π."""
    step = math.log(10_000) / max(width // 2 - 1, 1)
    angles = torch.arange(length)[:, None] * torch.exp(-step * torch.arange(width - width // 2))
    return torch.cat([angles.sin()[:, : width // 2], angles.cos()], 1)
